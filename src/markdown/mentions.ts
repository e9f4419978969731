import type { StateInline } from 'markdown-it';
import type { MarkdownDirectory, MentionableUser } from './directory.ts';
import { escapeHtml } from './library.ts';
import { hasRoomFor, type Rendering, renderingOf } from './rendering.ts';

/** An opening in the middle of a word does not count: `a@**b**`. */
const BEFORE_OPENING = /[\s'"({[/<]/;

export const opensAt = ({ src, pos }: StateInline): boolean =>
  pos === 0 || BEFORE_OPENING.test(src[pos - 1] ?? '');

/** A person has two stars, a group has one. */
const MENTION = /@(_?)(?:\*\*([^*\n]+)\*\*|\*([^*\n]+)\*(?!\*))/y;

/**
 * Reads `@**name**`, `@**name|12**`, `@_**silent**`, the wildcards and `@*group*`
 * (reference/endpoints.md 5.2).
 */
export function mention(state: StateInline, silent: boolean): boolean {
  if (state.src[state.pos] !== '@' || !opensAt(state)) return false;
  MENTION.lastIndex = state.pos;
  const match = MENTION.exec(state.src);
  if (!match || MENTION.lastIndex > state.posMax) return false;
  if (!silent) {
    const [source, underscore, name, groupName] = match;
    const rendering = renderingOf(state.env);
    const isSilent = underscore === '_';
    const found =
      name === undefined
        ? groupMention(rendering, groupName ?? '', isSilent)
        : personMention(rendering, name, isSilent);
    if (found === null || !hasRoomFor(rendering, found.html)) state.pending += source;
    else {
      found.note?.();
      state.push('finished_html', '', 0).content = found.html;
    }
  }
  state.pos = MENTION.lastIndex;
  return true;
}

const CHANNEL_WILDCARDS: ReadonlySet<string> = new Set(['all', 'everyone', 'channel', 'stream']);

/** A mention as HTML; if it notifies, `note` adds it to the rendering when it is shown. */
interface Mention {
  readonly html: string;
  readonly note?: () => void;
}

/** Returns null if no user has the name. */
function personMention(rendering: Rendering, name: string, isSilent: boolean): Mention | null {
  if (CHANNEL_WILDCARDS.has(name)) {
    const note = () => {
      rendering.hasChannelWildcard = true;
    };
    const kind = 'user-mention channel-wildcard-mention';
    return mentionOf(EVERYBODY, { kind, id: ' data-user-id="*"', text: name, isSilent, note });
  }
  if (name === 'topic') {
    const note = () => {
      rendering.hasTopicWildcard = true;
    };
    return mentionOf(EVERYBODY, { kind: 'topic-mention', id: '', text: name, isSilent, note });
  }
  const user = mentionedUser(rendering.directory, name);
  if (user === undefined) return null;
  return mentionOf(user, {
    kind: 'user-mention',
    id: ` data-user-id="${user.userId}"`,
    text: user.fullName,
    isSilent,
    note: () => rendering.mentionedUserIds.add(user.userId),
  });
}

/** Returns null if no group has the name. */
function groupMention(rendering: Rendering, name: string, isSilent: boolean): Mention | null {
  const group = rendering.directory.groupNamed(name);
  if (group === undefined) return null;
  return mentionOf(group, {
    kind: 'user-group-mention',
    id: ` data-user-group-id="${group.groupId}"`,
    text: group.name,
    isSilent,
    note: () => rendering.mentionedGroupIds.add(group.groupId),
  });
}

const EVERYBODY = { isActive: true };

/** Makes the mention of a deactivated user or group silent, even if it was not typed so. */
function mentionOf(
  { isActive }: { readonly isActive: boolean },
  { note, ...span }: MentionSpan & { note: () => void },
): Mention {
  const isSilent = span.isSilent || !isActive;
  const html = mentionSpan({ ...span, isSilent });
  return isSilent ? { html } : { html, note };
}

interface MentionSpan {
  readonly kind: string;
  /** the attribute that names the user or group, with a blank before it */
  readonly id: string;
  readonly text: string;
  readonly isSilent: boolean;
}

const mentionSpan = ({ kind, id, text, isSilent }: MentionSpan): string =>
  `<span class="${kind}${isSilent ? ' silent' : ''}"${id}>${isSilent ? '' : '@'}${escapeHtml(text)}</span>`;

function mentionedUser(directory: MarkdownDirectory, name: string): MentionableUser | undefined {
  const withId = /^(.*)\|(\d{1,15})$/.exec(name);
  if (withId) {
    const user = directory.user(Number(withId[2]));
    const fullName = (withId[1] ?? '').toLowerCase();
    return fullName === '' || fullName === user?.fullName.toLowerCase() ? user : undefined;
  }
  const namesakes = directory.usersNamed(name);
  if (namesakes.length < 2) return namesakes[0];
  // Somebody who left does not make the name of a colleague ambiguous.
  const active = namesakes.filter((user) => user.isActive);
  return active.length === 1 ? active[0] : undefined;
}
