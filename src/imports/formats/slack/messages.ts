import {
  type HistoryMessage,
  type HistoryReaction,
  type HistoryRow,
  type HistoryText,
  type Place,
  skipped,
} from '../../history.ts';
import {
  type Fields,
  firstText,
  partOf,
  partsOf,
  secondsOf,
  textOf,
  textsOf,
} from '../shared/fields.ts';
import { type Counts, ONLY_ADDRESS, type SeenIds } from '../shared/seen.ts';
import { linkTo, TextBuilder } from '../shared/texts.ts';
import { IMPORTED_TOPIC, type ThreadTopics } from '../shared/topics.ts';
import type { Conversation, SlackArchive } from './archive.ts';
import { textOfMrkdwn, unescaped } from './mrkdwn.ts';
import { textOfRichText } from './rich-text.ts';

export interface MessageContext extends SlackArchive {
  readonly conversation: Conversation;
  readonly topics: ThreadTopics;
  readonly seen: SeenIds;
  /** Messages of the service itself, by kind. */
  readonly leftOut: Counts;
}

/** Subtypes that people and bots write; all others say what happened to the conversation. */
const WRITTEN: ReadonlySet<string> = new Set([
  '',
  'bot_message',
  'me_message',
  'thread_broadcast',
  'file_share',
  'file_comment',
  'reply_broadcast',
  'slackbot_response',
  'huddle_thread_note',
]);

const TS = /^\d{9,11}(?:\.\d{1,9})?$/;

export function* messageOf(
  message: Fields,
  place: Place,
  context: MessageContext,
): Generator<HistoryRow> {
  const subtype = textOf(message['subtype']);
  if (!WRITTEN.has(subtype)) {
    context.leftOut.add(subtype.slice(0, 60));
    return;
  }
  const refused = (why: string): HistoryRow => skipped('message', place, why);
  const ts = textOf(message['ts']);
  const sentAt = TS.test(ts) ? secondsOf(Number(ts)) : null;
  if (sentAt === null) return yield refused('Its time (ts) is missing or impossible.');
  const sender = senderOf(message, context.bots);
  if (sender === '') return yield refused('Nobody is said to have sent it.');
  if (context.seen.isRepeated(ts)) return yield refused('The archive has it twice.');
  const notBrought: string[] = [];
  const content = contentOf(message, subtype, context, notBrought);
  for (const name of notBrought) yield skipped('file', place, ONLY_ADDRESS, { name });
  if (content.length === 0) return yield refused('It has neither a text nor a file.');
  yield {
    kind: 'message',
    id: `${context.conversation.id}:${ts}`,
    sender,
    to: destination(message, { ts, sentAt }, context),
    sentAt,
    ...editedAt(message),
    content,
    reactions: reactionsOf(message['reactions']),
    ...starredBy(message),
  };
}

/** Returns the id of the sender; a bot without an account has one of its own. */
export function senderOf(message: Fields, bots: SlackArchive['bots']): string {
  const user = firstText(message['user']);
  if (user !== '') return user;
  const botId = firstText(message['bot_id'], partOf(message['bot_profile'])['id']);
  return bots.get(botId) ?? botId;
}

function destination(
  message: Fields,
  { ts, sentAt }: { ts: string; sentAt: number },
  { conversation, topics, users }: MessageContext,
): HistoryMessage['to'] {
  if (conversation.row === null) return { direct: conversation.members };
  const channel = conversation.id;
  const thread = textOf(message['thread_ts']);
  if (thread === '') return { channel, topic: IMPORTED_TOPIC };
  const at = { channel, id: thread };
  if (thread !== ts) {
    return { channel, topic: topics.name(at, '', secondsOf(Number(thread)) ?? sentAt) };
  }
  const words = textOf(message['text'])
    .slice(0, 2_000)
    .replace(MENTION, (_, id: string) => mentioned(users.get(id)?.name))
    .replace(/<(?:[@!][^<>\n]{0,200}|#[^<>|\n]{0,200})>/g, '');
  return { channel, topic: topics.name(at, unescaped(words), sentAt) };
}

/** A person, with or without the name that the message was written with. */
const MENTION = /<@([A-Z0-9]{1,40})(?:\|[^<>\n]{0,200})?>/g;
const mentioned = (name: string | undefined) => (name === undefined ? '' : `@${name}`);

function editedAt(message: Fields): { editedAt?: number } {
  const seconds = secondsOf(Number(partOf(message['edited'])['ts']));
  return seconds === null ? {} : { editedAt: seconds };
}

function starredBy({ is_starred: isStarred, user }: Fields): { starredBy?: readonly string[] } {
  return isStarred === true && textOf(user) !== '' ? { starredBy: [textOf(user)] } : {};
}

function reactionsOf(value: unknown): HistoryReaction[] {
  return partsOf(value).flatMap((reaction) => {
    const emoji = textOf(reaction['name']).split('::')[0] ?? '';
    const users = textsOf(reaction['users']);
    return emoji === '' || users.length === 0 ? [] : [{ emoji, users }];
  });
}

function contentOf(
  message: Fields,
  subtype: string,
  context: MessageContext,
  notBrought: string[],
): HistoryText {
  const builder = new TextBuilder();
  const text = textOf(message['text']);
  if (subtype === 'me_message') builder.add('/me ');
  builder.append(textOfRichText(message['blocks']) ?? textOfMrkdwn(text));
  for (const attachment of partsOf(message['attachments'])) addAttachment(builder, attachment);
  for (const file of [...partsOf(message['files']), partOf(message['file'])]) {
    addFile(builder, file, context, notBrought);
  }
  return builder.isEmpty ? [] : builder.finished();
}

/** Adds an attachment of a bot; what Slack showed of a linked page gets a preview here anyway. */
function addAttachment(builder: TextBuilder, attachment: Fields): void {
  if (textOf(attachment['from_url']) !== '' && attachment['is_share'] !== true) return;
  const title = unescaped(textOf(attachment['title']));
  const lines = new TextBuilder();
  lines.append(textOfMrkdwn(textOf(attachment['pretext'])));
  if (title !== '') lines.paragraph().add(`**${linkTo(textOf(attachment['title_link']), title)}**`);
  const body = textOfMrkdwn(textOf(attachment['text']));
  if (body.length > 0) lines.paragraph().append(body);
  for (const field of partsOf(attachment['fields'])) {
    const value = textOfMrkdwn(textOf(field['value']));
    lines.paragraph().add(`**${unescaped(firstText(field['title'])).replaceAll('*', '')}** `);
    lines.append(value);
  }
  if (lines.isEmpty) lines.append(textOfMrkdwn(textOf(attachment['fallback'])));
  if (!lines.isEmpty) builder.paragraph().append(lines.finished());
}

function addFile(
  builder: TextBuilder,
  file: Fields,
  { files }: MessageContext,
  notBrought: string[],
): void {
  const id = textOf(file['id']);
  const name = firstText(file['name'], file['title'], id);
  if (name === '') return;
  const brought = files.get(id);
  builder.paragraph();
  if (brought !== undefined) {
    builder.file({ entry: brought.entry, name });
    return;
  }
  // The query of the address has a token that opens the files of the workspace.
  const address = firstText(file['permalink'], file['url_private']).split('?')[0] ?? '';
  builder.add(linkTo(address, name));
  notBrought.push(name);
}
