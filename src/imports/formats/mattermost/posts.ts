import {
  type HistoryMessage,
  type HistoryReaction,
  type HistoryRow,
  type HistoryText,
  type Place,
  skipped,
} from '../../history.ts';
import type { ArchiveSource } from '../../sources/archive-source.ts';
import { type Fields, partOf, partsOf, secondsOfMs, textOf, textsOf } from '../shared/fields.ts';
import { longestKnown } from '../shared/known-names.ts';
import { textOfMarkdown, underscoresAsStars } from '../shared/markdown.ts';
import { ofService, type SeenIds } from '../shared/seen.ts';
import { readBy } from '../shared/subscribed.ts';
import { linkTo, TextBuilder } from '../shared/texts.ts';
import { IMPORTED_TOPIC, type ThreadTopics } from '../shared/topics.ts';
import { fileAt } from './files.ts';

export interface PostContext {
  readonly archive: ArchiveSource;
  readonly entry: string;
  /** User names. */
  readonly users: ReadonlySet<string>;
  /** Ids, `team:name`. */
  readonly channels: ReadonlySet<string>;
  /** The times (UNIX seconds) until which people have read, by the people of a conversation. */
  readonly conversations: ReadonlyMap<string, ReadonlyMap<string, number>>;
  readonly topics: ThreadTopics;
  readonly seen: SeenIds;
}

/** Returns a name of the conversation of these people, who come in any order. */
export const peopleKey = (people: readonly string[]): string => [...people].sort().join(',');

/** Yields a post and its replies; nothing for a line of another type. */
export function* postRows(context: PostContext, line: Fields, at: Place): Generator<HistoryRow> {
  const type = textOf(line['type']);
  if (type !== 'post' && type !== 'direct_post') return;
  const post = partOf(line[type]);
  const team = textOf(post['team']);
  const channel = `${team}:${textOf(post['channel'])}`;
  const members = textsOf(post['channel_members']);
  if (type === 'post' && !context.channels.has(channel)) {
    return yield skipped('message', at, `No channel is named ${channel.slice(0, 80)}.`);
  }
  if (type === 'direct_post' && members.length === 0) {
    return yield skipped('message', at, 'It names nobody who is part of it.');
  }
  const replies = partsOf(post['replies']);
  const to: HistoryMessage['to'] =
    type === 'direct_post'
      ? { direct: members }
      : { channel, topic: topicOf(context, channel, post, replies) };
  const place = type === 'direct_post' ? members.join(',') : channel;
  const common = { context, to, team, place };
  yield* messageRows(post, at, common);
  const inOrder = [...replies].sort((one, other) => timeOf(one) - timeOf(other));
  for (const reply of inOrder) {
    const row = `${at.row}, reply ${replies.indexOf(reply) + 1}`;
    yield* messageRows(reply, { ...at, row }, common);
  }
}

const timeOf = ({ create_at: time }: Fields): number => (typeof time === 'number' ? time : 0);

function topicOf(
  { topics }: PostContext,
  channel: string,
  post: Fields,
  replies: readonly Fields[],
): string {
  if (replies.length === 0) return IMPORTED_TOPIC;
  const thread = { channel, id: `${textOf(post['user'])} ${String(post['create_at'])}` };
  return topics.name(thread, textOf(post['message']), secondsOfMs(post['create_at']) ?? 0);
}

interface Common {
  readonly context: PostContext;
  readonly to: HistoryMessage['to'];
  readonly team: string;
  readonly place: string;
}

function* messageRows(
  post: Fields,
  at: Place,
  { context, to, team, place }: Common,
): Generator<HistoryRow> {
  const refused = (why: string): HistoryRow => skipped('message', at, why);
  const kind = textOf(post['type']);
  if (kind.startsWith('system_')) {
    return yield refused(ofService(kind.slice(0, 60)));
  }
  const sentAt = secondsOfMs(post['create_at']);
  if (sentAt === null) return yield refused('Its time (create_at) is missing or impossible.');
  const sender = textOf(post['user']);
  if (!context.users.has(sender)) {
    return yield refused(`The archive has no user ${sender.slice(0, 80) || '(none is named)'}.`);
  }
  const message = textOf(post['message']);
  // Mattermost itself tells posts apart by channel, text and time.
  const id = `${place}/${sender}/${String(post['create_at'])}/${fingerprint(message)}`;
  if (context.seen.isRepeated(id)) return yield refused('The archive has it twice.');
  const missing: string[] = [];
  const content = contentOf(post, message, { context, team, kind }, missing);
  for (const name of missing) {
    yield skipped('file', at, 'The file is not in the archive.', { name });
  }
  if (content.length === 0) return yield refused('It has neither a text nor a file.');
  const editedAt = secondsOfMs(post['edit_at']);
  yield {
    kind: 'message',
    id,
    sender,
    to,
    sentAt,
    ...('direct' in to
      ? readBy(to.direct, context.conversations.get(peopleKey(to.direct)) ?? NONE, sentAt)
      : {}),
    ...(editedAt === null ? {} : { editedAt }),
    content,
    reactions: reactionsOf(post['reactions']),
    starredBy: textsOf(post['flagged_by']),
  };
}

const NONE: ReadonlyMap<string, number> = new Map();

/** A short number of a text, FNV-1a of 32 bits. */
function fingerprint(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  return (hash >>> 0).toString(16);
}

/** Gathers the users of each emoji, as the export has one object for each of them. */
function reactionsOf(value: unknown): HistoryReaction[] {
  const users = new Map<string, Set<string>>();
  for (const reaction of partsOf(value)) {
    const emoji = textOf(reaction['emoji_name']);
    const user = textOf(reaction['user']);
    if (emoji === '' || user === '') continue;
    users.set(emoji, (users.get(emoji) ?? new Set()).add(user));
  }
  return [...users].map(([emoji, names]) => ({ emoji: withoutTone(emoji), users: [...names] }));
}

/** `wave_medium_skin_tone` has a code of its own there, and none here. */
const withoutTone = (emoji: string): string =>
  emoji.replace(/_(?:light|medium_light|medium|medium_dark|dark)_skin_tone$/, '');

function contentOf(
  post: Fields,
  message: string,
  { context, team, kind }: { context: PostContext; team: string; kind: string },
  missing: string[],
): HistoryText {
  const builder = new TextBuilder();
  if (kind === 'me') builder.add('/me ');
  builder.append(textOfPost(message, context, team));
  for (const attachment of partsOf(partOf(post['props'])['attachments'])) {
    builder.paragraph().append(textOfAttachment(attachment, context, team));
  }
  for (const { path } of partsOf(post['attachments'])) {
    const file = fileAt(context, path);
    if (file !== null) builder.paragraph().file(file);
    else {
      const given = textOf(path).slice(-200);
      missing.push(given || 'a file without a path');
      builder.paragraph().add(linkTo('', given.slice(given.lastIndexOf('/') + 1)));
    }
  }
  return builder.isEmpty ? [] : builder.finished();
}

/** Converts what a webhook or a bot has put below its post. */
function textOfAttachment(attachment: Fields, context: PostContext, team: string): HistoryText {
  const builder = new TextBuilder();
  builder.append(textOfPost(textOf(attachment['pretext']), context, team));
  const title = textOf(attachment['title']);
  if (title !== '') builder.paragraph().add(linkTo(textOf(attachment['title_link']), title));
  const text = textOfPost(textOf(attachment['text']), context, team);
  if (text.length > 0) builder.paragraph().append(text);
  for (const { title: name, value } of partsOf(attachment['fields'])) {
    builder.paragraph().add(`**${textOf(name).replaceAll('*', '')}** `);
    builder.append(
      textOfPost(typeof value === 'number' ? String(value) : textOf(value), context, team),
    );
  }
  if (builder.isEmpty) builder.append(textOfPost(textOf(attachment['fallback']), context, team));
  return builder.finished();
}

const WILDCARDS: ReadonlySet<string> = new Set(['all', 'channel', 'here']);
const TOKENS = /(?<![\w@./])@([a-z0-9][a-z0-9._-]{0,63})|(?<![\w~])~([a-z0-9][a-z0-9_-]{0,63})/gi;

/** Converts a post, which is Markdown with `@name` and `~channel`. */
export function textOfPost(
  source: string,
  { users, channels }: Pick<PostContext, 'users' | 'channels'>,
  team: string,
): HistoryText {
  return textOfMarkdown(source, {
    tokens: TOKENS,
    emphasis: underscoresAsStars,
    add(builder, [, name = '', channel = '']) {
      if (channel !== '') {
        const id = `${team}:${channel.toLowerCase()}`;
        if (!channels.has(id)) return false;
        builder.channel(id);
        return true;
      }
      const known = longestKnown(name.toLowerCase(), (candidate) =>
        WILDCARDS.has(candidate) || users.has(candidate) ? candidate : undefined,
      );
      if (known === null) return false;
      const { found } = known;
      if (WILDCARDS.has(found)) builder.mentionAll();
      else builder.mention(found);
      builder.add(name.slice(found.length));
      return true;
    },
  });
}
