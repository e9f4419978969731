import { type Linkifiers, NO_LINKIFIERS } from '../domain/rules/texts/linkifiers.ts';
import type { UploadedFile } from './uploads.ts';

/** Decides which links of a message get previews; the realm's settings choose. */
export interface LinkPreviews {
  /** Returns the address at which this server hands out the content of another site's URL. */
  proxied(url: string): string;
  /** Returns a file of the realm that the author may read. */
  upload(pathId: string): UploadedFile | undefined;
  /** True if images, videos, and pages of video sites are shown. */
  readonly showsMedia: boolean;
  /** True if any other page is shown once it has been fetched. */
  readonly showsPages: boolean;
  /** Returns the card of a page; undefined until it has been fetched. */
  page(url: string): PagePreview | undefined;
}

export interface PagePreview {
  /** Empty if the page has none, like the description. */
  readonly title: string;
  readonly description: string;
  /** Absolute; a page without an image has no preview. */
  readonly imageUrl: string;
}

/**
 * The meaning of names in a message, as its author sees them, and the settings of the author's
 * realm.
 */
export interface MarkdownDirectory {
  /** active and deactivated users having this full name, case-insensitively */
  usersNamed(fullName: string): readonly MentionableUser[];
  user(userId: number): MentionableUser | undefined;
  /** a group of the realm, case-insensitively by name */
  groupNamed(name: string): MentionableGroup | undefined;
  /** a channel the author may see, case-insensitively by name */
  channelNamed(name: string): LinkableChannel | undefined;
  /** the id of the newest message of a topic; undefined for an empty one */
  newestInTopic(channelId: number, topic: string): number | undefined;
  /** the image of an active custom emoji */
  customEmoji(name: string): { readonly src: string } | undefined;
  readonly linkifiers: Linkifiers;
  /** the author's setting `translate_emoticons` */
  readonly translatesEmoticons: boolean;
  /** the realm's setting `default_code_block_language`; empty for none */
  readonly defaultCodeLanguage: string;
  /** null if links get no previews */
  readonly previews: LinkPreviews | null;
  /** absolute, without a trailing slash; empty if there is no request to take it from */
  readonly realmUrl: string;
  /** the other word for `service` in names that clients know; empty for none */
  readonly aliasPrefix: string;
}

export interface MentionableUser {
  readonly userId: number;
  readonly fullName: string;
  readonly isActive: boolean;
}

export interface MentionableGroup {
  readonly groupId: number;
  readonly name: string;
  readonly isActive: boolean;
}

export interface LinkableChannel {
  readonly channelId: number;
  readonly name: string;
}

/** A directory in which no name has a meaning, for contexts where no user may be known. */
export const NO_NAMES: MarkdownDirectory = {
  usersNamed: () => [],
  user: () => undefined,
  groupNamed: () => undefined,
  channelNamed: () => undefined,
  newestInTopic: () => undefined,
  customEmoji: () => undefined,
  linkifiers: NO_LINKIFIERS,
  translatesEmoticons: false,
  defaultCodeLanguage: '',
  previews: null,
  realmUrl: '',
  aliasPrefix: '',
};
