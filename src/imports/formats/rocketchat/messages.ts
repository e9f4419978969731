import {
  type HistoryMessage,
  type HistoryReaction,
  type HistoryRow,
  type HistoryText,
  type HistoryUser,
  type Place,
  skipped,
} from '../../history.ts';
import type { ArchiveSource } from '../../sources/archive-source.ts';
import {
  type Fields,
  fieldsOf,
  firstText,
  idOf,
  partOf,
  partsOf,
  textOf,
  textsOf,
} from '../shared/fields.ts';
import { longestKnown } from '../shared/known-names.ts';
import { textOfMarkdown, underscoresAsStars } from '../shared/markdown.ts';
import type { Counts, SeenIds } from '../shared/seen.ts';
import { readBy } from '../shared/subscribed.ts';
import { linkTo, quoted, TextBuilder } from '../shared/texts.ts';
import { dayTopic, IMPORTED_TOPIC, type ThreadTopics } from '../shared/topics.ts';
import { secondsOfDate } from './collections.ts';
import type { Rooms } from './rooms.ts';

export interface MessageContext {
  readonly archive: ArchiveSource;
  readonly users: ReadonlyMap<string, HistoryUser>;
  /** Ids by user name. */
  readonly names: ReadonlyMap<string, string>;
  readonly rooms: Rooms;
  readonly topics: ThreadTopics;
  /** Entries by their name without its ending, which is the id of an upload. */
  readonly files: ReadonlyMap<string, string>;
  readonly seen: SeenIds;
  readonly leftOut: Counts;
}

export function* messageRows(
  context: MessageContext,
  message: Fields,
  place: Place,
): Generator<HistoryRow> {
  const type = textOf(message['t']);
  if (type !== '') {
    context.leftOut.add(type.slice(0, 60));
    return;
  }
  const refused = (why: string): HistoryRow => skipped('message', place, why);
  const id = idOf(message['_id']);
  if (id === '') return yield refused('It has no _id.');
  const sentAt = secondsOfDate(message['ts']);
  if (sentAt === null) return yield refused('Its time (ts) is missing or impossible.');
  const sender = idOf(partOf(message['u'])['_id']);
  if (!context.users.has(sender)) return yield refused('It has no sender (u._id).');
  const to = destination(message, context, sentAt);
  if (to === null) return yield refused(`No room that comes along has the id of its rid.`);
  if (message['_hidden'] === true) return yield refused('It is a former version of another one.');
  if (context.seen.isRepeated(id)) return yield refused('The archive has it twice.');
  const missing: string[] = [];
  const content = contentOf(message, context, missing);
  for (const name of missing) {
    yield skipped('file', place, 'The archive has no file with the id of the upload.', { name });
  }
  if (content.length === 0) return yield refused('It has neither a text nor a file.');
  const editedAt = secondsOfDate(message['editedAt']);
  yield {
    kind: 'message',
    id,
    sender,
    to,
    sentAt,
    ...('direct' in to
      ? readBy(to.direct, context.rooms.subscribersOf(idOf(message['rid'])), sentAt)
      : {}),
    ...(editedAt === null ? {} : { editedAt }),
    content,
    reactions: reactionsOf(message['reactions'], context.names),
    starredBy: textsOf(partsOf(message['starred']).map(({ _id }) => _id)),
  };
}

function destination(
  message: Fields,
  { rooms, topics }: MessageContext,
  sentAt: number,
): HistoryMessage['to'] | null {
  const place = rooms.placeOf(idOf(message['rid']));
  if (place === null) return null;
  const { channel, topic, direct } = place;
  if (channel === undefined) return { direct: direct ?? [] };
  // A thread within a discussion stays in the topic of the discussion.
  if (topic !== undefined) return { channel, topic };
  const thread = firstText(message['tmid'], message['_id']);
  const named = topics.of({ channel, id: thread });
  if (named !== undefined) return { channel, topic: named };
  const isReply = textOf(message['tmid']) !== '';
  return { channel, topic: isReply ? dayTopic(sentAt) : IMPORTED_TOPIC };
}

/** `{":smile:": {"usernames": ["ann"]}}`. */
function reactionsOf(value: unknown, names: ReadonlyMap<string, string>): HistoryReaction[] {
  return Object.entries(partOf(value)).flatMap(([code, reaction]) => {
    const emoji = code.replace(/^:|:$/g, '').replace(/_tone[1-5]$/, '');
    const users = textsOf(partOf(reaction)['usernames']).flatMap((name) => names.get(name) ?? []);
    return emoji === '' || users.length === 0 ? [] : [{ emoji, users }];
  });
}

/** A quoted message begins with a link to it that has no words. */
const QUOTE_LINK = /\[ ?\]\([^()\s]{0,2000}\)\s?/g;

function contentOf(message: Fields, context: MessageContext, missing: string[]): HistoryText {
  const builder = new TextBuilder();
  const attachments = partsOf(message['attachments']);
  for (const attachment of attachments) addQuote(builder, attachment, context);
  const text = textOfMessage(textOf(message['msg']).replace(QUOTE_LINK, ''), context);
  if (text.length > 0) builder.paragraph().append(text);
  const uploads = partsOf(message['files']);
  const single = fieldsOf(message['file']);
  const files = uploads.length === 0 && single !== null ? [single] : uploads;
  // Small images of large ones come with them.
  for (const file of files)
    if (!/^thumb-/.test(textOf(file['name']))) addFile(builder, file, context, missing);
  for (const attachment of attachments)
    addAttachment(builder, attachment, context, files.length > 0);
  return builder.isEmpty ? [] : builder.finished();
}

function addQuote(builder: TextBuilder, attachment: Fields, { names }: MessageContext): void {
  if (textOf(attachment['message_link']) === '') return;
  const author = names.get(textOf(attachment['author_name']));
  builder.paragraph();
  if (author !== undefined) builder.mention(author, { silent: true }).add(':\n');
  builder.add(quoted(textOf(attachment['text']).replace(QUOTE_LINK, '')));
}

function addAttachment(
  builder: TextBuilder,
  attachment: Fields,
  context: MessageContext,
  hasFiles: boolean,
): void {
  if (textOf(attachment['message_link']) !== '') return;
  const description = textOfMessage(textOf(attachment['description']), context);
  if (description.length > 0) builder.paragraph().append(description);
  if (hasFiles) return;
  const title = textOf(attachment['title']);
  const link = firstText(attachment['title_link'], attachment['image_url']);
  if (title !== '' || link !== '') builder.paragraph().add(linkTo(link, title));
  const text = textOfMessage(textOf(attachment['text']), context);
  if (text.length > 0) builder.paragraph().append(text);
}

function addFile(
  builder: TextBuilder,
  file: Fields,
  { files }: MessageContext,
  missing: string[],
): void {
  const id = idOf(file['_id']);
  const name = firstText(file['name'], id);
  const entry = files.get(id);
  if (entry !== undefined && id !== '') builder.paragraph().file({ entry, name });
  else {
    builder.paragraph().add(linkTo('', name));
    missing.push(name.slice(0, 200) || 'a file');
  }
}

const TOKENS = /(?<![\w@./])@([\w.-]{1,64})|(?<![\w#&/])#([\w.-]{1,64})/g;
const WILDCARDS: ReadonlySet<string> = new Set(['all', 'here']);

/** Converts a message; one star is bold there, and one tilde strikes through. */
export function textOfMessage(
  source: string,
  { names, rooms }: Pick<MessageContext, 'names' | 'rooms'>,
): HistoryText {
  return textOfMarkdown(source, {
    tokens: TOKENS,
    emphasis,
    add(builder, [, name = '', handle = '']) {
      const isRoom = handle !== '';
      const known = longestKnown(isRoom ? handle : name, (candidate) =>
        isRoom ? rooms.named(candidate) : WILDCARDS.has(candidate) ? '*' : names.get(candidate),
      );
      if (known === null) return false;
      const { found: id, rest } = known;
      if (isRoom) {
        const channel = rooms.placeOf(id)?.channel;
        if (channel === undefined) return false;
        builder.channel(channel);
      } else if (id === '*') builder.mentionAll();
      else builder.mention(id);
      builder.add(rest);
      return true;
    },
  });
}

const BOLD = /(?<![\w*\\@#])\*(?=[^\s*])([^*\n]{1,500})(?<=\S)\*(?![\w*])/g;
const STRUCK = /(?<![\w~\\])~(?=[^\s~])([^~\n]{1,500})(?<=\S)~(?![\w~])/g;

const emphasis = (text: string): string =>
  underscoresAsStars(text.replace(BOLD, '**$1**')).replace(STRUCK, '~~$1~~');
