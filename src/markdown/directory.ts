import { type Linkifiers, NO_LINKIFIERS } from '../domain/rules/texts/linkifiers.ts';
import type { UploadedFile } from './uploads.ts';

/** How links of a message are shown besides as links; the realm's settings say which are. */
export interface LinkPreviews {
  /** Where this server hands out what is at a URL of another site. */
  proxied(url: string): string;
  /** A file of the realm that the author may read. */
  upload(pathId: string): UploadedFile | undefined;
  /** Pictures, films, and sites of films. */
  readonly showsMedia: boolean;
  /** Any other page, when it has been looked at. */
  readonly showsPages: boolean;
  /** What a page says of itself; undefined while nobody has looked. */
  page(url: string): PageCard | undefined;
}

export interface PageCard {
  /** Empty for none, as the description. */
  readonly title: string;
  readonly description: string;
  /** Absolute; a page without a picture has no card. */
  readonly imageUrl: string;
}

/** What names in a message stand for, as its author sees them, and how the author's realm writes. */
export interface MarkdownDirectory {
  /** active and deactivated users having this full name, case-insensitively */
  usersNamed(fullName: string): readonly MentionableUser[];
  user(userId: number): MentionableUser | undefined;
  /** a group of the realm, case-insensitively by name */
  groupNamed(name: string): MentionableGroup | undefined;
  /** a channel the author may see, case-insensitively by name */
  channelNamed(name: string): LinkableChannel | undefined;
  /** the id of the newest message of a topic that has any */
  newestInTopic(channelId: number, topic: string): number | undefined;
  /** the image of an active custom emoji */
  customEmoji(name: string): { readonly src: string } | undefined;
  readonly linkifiers: Linkifiers;
  /** the author's setting `translate_emoticons` */
  readonly translatesEmoticons: boolean;
  /** the realm's setting `default_code_block_language`; empty for none */
  readonly defaultCodeLanguage: string;
  /** null where links are nothing but links */
  readonly previews: LinkPreviews | null;
  /** absolute, without a trailing slash; empty where no request says it */
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

/** Where no name stands for anything: what is shown to those who may know of nobody. */
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
