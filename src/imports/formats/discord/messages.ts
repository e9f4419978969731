import {
  type HistoryMessage,
  type HistoryReaction,
  type HistoryRow,
  type HistoryText,
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
  secondsOfIso,
  textOf,
} from '../shared/fields.ts';
import { type Counts, ONLY_ADDRESS, type SeenIds } from '../shared/seen.ts';
import { linkTo, quotedText, TextBuilder } from '../shared/texts.ts';
import { IMPORTED_TOPIC } from '../shared/topics.ts';
import { assetOf } from './assets.ts';
import { type ChannelFile, type Guild, placeOf } from './guild.ts';
import { type Known, textOfDiscord } from './markdown.ts';

export interface MessageContext {
  readonly archive: ArchiveSource;
  readonly file: ChannelFile;
  readonly guild: Guild;
  /** The place of the messages of a channel or thread, by its id. */
  readonly places: Known['places'];
  readonly seen: SeenIds;
  readonly leftOut: Counts;
  readonly recent: RecentTexts;
}

const RECENT_MAX = 20_000;
const RECENT_LENGTH_MAX = 200;

/** Returns the beginning of a text up to a spoiler that does not end in it. */
function withoutOpenSpoiler(text: string): string {
  const parts = text.split('||');
  return parts.length % 2 === 1 ? text : parts.slice(0, -1).join('||');
}

/** The beginnings of the last messages, for replies to quote. */
export class RecentTexts {
  /** In the order in which they came. */
  private readonly texts = new Map<string, { author: string; text: string }>();

  add(id: string, author: string, text: string): void {
    const line = text.split('\n', 1)[0] ?? '';
    const isShort = text.length <= RECENT_LENGTH_MAX && line === text;
    const short = Array.from(line.slice(0, RECENT_LENGTH_MAX * 2)).slice(0, RECENT_LENGTH_MAX);
    const shown = isShort ? text : `${withoutOpenSpoiler(short.join(''))}…`;
    this.texts.set(id, { author, text: shown });
    if (this.texts.size <= RECENT_MAX) return;
    for (const oldest of this.texts.keys()) {
      this.texts.delete(oldest);
      break;
    }
  }

  of(id: string): { author: string; text: string } | undefined {
    return this.texts.get(id);
  }
}

/**
 * Kinds that people and bots write; the exporter gives the number of those it has no name for:
 * 20 and 23 are commands of bots.
 */
const WRITTEN: ReadonlySet<string> = new Set(['', 'Default', 'Reply', '20', '23']);

export function* messageRows(
  context: MessageContext,
  message: Fields,
  place: Place,
): Generator<HistoryRow> {
  const type = idOf(message['type']);
  if (!WRITTEN.has(type)) {
    context.leftOut.add(type.slice(0, 60));
    return;
  }
  const refused = (why: string): HistoryRow => skipped('message', place, why);
  const id = idOf(message['id']);
  if (id === '') return yield refused('It has no id.');
  const sentAt = secondsOfIso(message['timestamp']);
  if (sentAt === null) return yield refused('Its time (timestamp) is missing or impossible.');
  const sender = idOf(partOf(message['author'])['id']);
  if (!context.guild.users.has(sender)) return yield refused('It has no author.');
  if (context.seen.isRepeated(id)) return yield refused('The archive has it twice.');
  const missing: string[] = [];
  const content = contentOf(message, context, missing);
  context.recent.add(id, sender, textOf(message['content']));
  for (const name of missing) yield skipped('file', place, ONLY_ADDRESS, { name });
  if (content.length === 0) return yield refused('It has neither a text nor a file.');
  const editedAt = secondsOfIso(message['timestampEdited']);
  yield {
    kind: 'message',
    id,
    sender,
    to: destination(context.file),
    sentAt,
    ...(editedAt === null ? {} : { editedAt }),
    content,
    reactions: partsOf(message['reactions']).flatMap(reactionOf),
  };
}

function destination(file: ChannelFile): HistoryMessage['to'] {
  const { channel, topic } = placeOf(file);
  if (channel === undefined) return { direct: file.authors };
  return { channel, topic: topic ?? IMPORTED_TOPIC };
}

function reactionOf(reaction: Fields): HistoryReaction[] {
  const emoji = partOf(reaction['emoji']);
  const name = firstText(emoji['name'], emoji['code']);
  const users = partsOf(reaction['users'])
    .map(({ id }) => idOf(id))
    .filter((id) => id !== '');
  if (name === '' || users.length === 0) return [];
  // Custom emoji have names; others are the characters, with a skin tone that is left out here.
  const isCustom = idOf(emoji['id']) !== '';
  const shown = isCustom ? name.toLowerCase() : name.replace(/[\u{1f3fb}-\u{1f3ff}]/gu, '');
  return shown === '' ? [] : [{ emoji: shown, users: [...new Set(users)] }];
}

function contentOf(message: Fields, context: MessageContext, missing: string[]): HistoryText {
  const builder = new TextBuilder();
  const known = knownIn(message, context);
  addReply(builder, message, { context, known });
  builder.append(textOfDiscord(textOf(message['content']), known));
  addMedia(builder, message, { known, context, missing });
  const forwarded = fieldsOf(message['forwardedMessage']);
  if (forwarded !== null) {
    builder.paragraph().append(textOfDiscord(textOf(forwarded['content']), known));
    addMedia(builder, forwarded, { known, context, missing });
  }
  return builder.isEmpty ? [] : builder.finished();
}

/** Names of users that this message mentions, for exports that wrote out mentions. */
function knownIn(message: Fields, { guild, places }: MessageContext): Known {
  const names = new Map<string, string>();
  for (const user of partsOf(message['mentions']).slice(0, 100)) {
    const id = idOf(user['id']);
    for (const name of [textOf(user['nickname']), textOf(user['name'])]) {
      if (name !== '' && id !== '') names.set(name, id);
    }
  }
  return { users: guild.users, places, names };
}

function addReply(
  builder: TextBuilder,
  message: Fields,
  { context: { recent }, known }: { readonly context: MessageContext; readonly known: Known },
): void {
  if (message['type'] !== 'Reply') return;
  const original = recent.of(idOf(partOf(message['reference'])['messageId']));
  if (original === undefined) return;
  builder.mention(original.author, { silent: true });
  builder
    .add(':\n')
    .append(quotedText(textOfDiscord(original.text, known)))
    .add('\n\n');
}

function addMedia(
  builder: TextBuilder,
  message: Fields,
  { known, context, missing }: { known: Known; context: MessageContext; missing: string[] },
): void {
  for (const embed of partsOf(message['embeds'])) addEmbed(builder, embed, message, known);
  for (const attachment of partsOf(message['attachments'])) {
    const name = firstText(attachment['fileName'], attachment['id']) || 'file';
    addFile(builder, { name, url: attachment['url'] }, context, missing);
  }
  for (const sticker of partsOf(message['stickers'])) {
    const name = firstText(sticker['name'], 'sticker');
    addFile(builder, { name, url: sticker['sourceUrl'] }, context, missing);
  }
}

function addFile(
  builder: TextBuilder,
  { name, url }: { name: string; url: unknown },
  { archive, file }: MessageContext,
  missing: string[],
): void {
  const asset = assetOf(archive, file.entry, url, name);
  builder.paragraph();
  if (asset !== null) builder.file(asset);
  else {
    // The query of the address is a signature that ends within a day.
    builder.add(linkTo(textOf(url).split('?')[0] ?? '', name));
    missing.push(name.slice(0, 200));
  }
}

/** Adds what a bot has written, but not what Discord showed of a link in the text. */
function addEmbed(builder: TextBuilder, embed: Fields, message: Fields, known: Known): void {
  const url = textOf(embed['url']);
  if (url !== '' && textOf(message['content']).includes(url)) return;
  const parts = new TextBuilder();
  const title = textOf(embed['title']);
  if (title !== '') parts.add(`**${linkTo(url, title).replaceAll('**', '')}**`);
  const description = textOfDiscord(textOf(embed['description']), known);
  if (description.length > 0) parts.paragraph().append(description);
  for (const { name, value } of partsOf(embed['fields'])) {
    parts.paragraph().add(`**${textOf(name).replaceAll('*', '')}** `);
    parts.append(textOfDiscord(textOf(value), known));
  }
  if (!parts.isEmpty) builder.paragraph().append(parts.finished());
}
