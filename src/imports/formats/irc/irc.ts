import { ArchiveError } from '../../../archives/archive-error.ts';
import { HISTORY_LINE_BYTES_MAX } from '../../../domain/limits/archives.ts';
import {
  type FormatOptions,
  type HistoryFormat,
  type HistoryRow,
  type HistoryText,
  skipped,
} from '../../history.ts';
import { JsonStreamError, linesOf } from '../../json-stream.ts';
import type { ArchiveSource } from '../../sources/archive-source.ts';
import { openGunzipped } from '../../sources/gunzipped.ts';
import { conversationMap, peopleMap, subscriptionBound } from '../shared/bounds.ts';
import { type IrcLine, openLogReader } from './log-lines.ts';

/** Reads logs of IRC channels: those of irssi, WeeChat and ZNC, and JSON lines. */
export const irc: HistoryFormat = { name: 'irc', read };

const LOG = /\.(?:log|txt|weechatlog|jsonl|ndjson)(?:\.gz)?$/i;

async function* read(archive: ArchiveSource, options: FormatOptions): AsyncGenerator<HistoryRow> {
  const channels = channelsOf(archive, options);
  if (channels.size === 0)
    throw new ArchiveError(
      'This is no log of IRC: no file is named as one, such as 2024-03-04.log.',
    );
  const nicks = peopleMap<string>();
  const speakers = conversationMap<Set<string>>();
  const subscriptions = subscriptionBound();
  for (const [channel, entries] of channels) {
    const own = new Set<string>();
    speakers.set(channel, own);
    for await (const { line } of linesOfAll(archive, entries)) {
      if (!('nick' in line)) continue;
      // The first of equal texts is kept, as one that was cut out of a line may hold on to it.
      const nick = nicks.get(line.nick) ?? Buffer.from(line.nick).toString();
      if (own.has(nick)) continue;
      nicks.set(nick, nick);
      own.add(nick);
      subscriptions.add();
    }
  }
  if (nicks.size === 0)
    throw new ArchiveError('This is no log of IRC: no file has a line with a message.');
  for (const nick of nicks.keys()) {
    const known = options.nicks?.get(nick);
    const email = known?.email === undefined ? {} : { email: known.email };
    yield {
      kind: 'user',
      id: nick,
      name: known?.name ?? nick,
      ...email,
      bot: false,
      active: false,
      role: 'member',
    };
  }
  for (const [channel] of channels) {
    yield {
      kind: 'channel',
      id: channel,
      name: channel,
      description: '',
      private: false,
      archived: false,
      subscribers: [...(speakers.get(channel) ?? [])],
    };
  }
  for (const [channel, entries] of channels) {
    for await (const { line, place } of linesOfAll(archive, entries)) {
      if (!('nick' in line)) {
        if (line.why !== undefined) yield skipped('line', place, line.why);
        continue;
      }
      yield {
        kind: 'message',
        id: `${place.file}:${place.row}`,
        sender: line.nick,
        to: { channel, topic: line.day },
        sentAt: line.at,
        content: contentOf(line, nicks),
        reactions: [],
      };
    }
  }
}

/**
 * Returns the log files of each channel. A channel is a folder, or a file in the top folder; days
 * at the end of a file's name are not of the channel.
 */
function channelsOf(archive: ArchiveSource, { channel: given }: FormatOptions) {
  const channels = new Map<string, string[]>();
  for (const name of archive.names()) {
    if (!LOG.test(name)) continue;
    const parts = name.split('/');
    const folder = parts.at(-2);
    const file = (parts.at(-1) ?? '')
      .replace(LOG, '')
      .replace(/[._-]?\d{4}[-_]?\d{2}[-_]?\d{2}$/, '')
      .replace(/^irc\.[^.]+\./, '');
    const own = folder === undefined ? file : folder;
    const channel = given ?? (own.replace(/^[#&]+/, '') || 'irc');
    const known = channels.get(channel);
    if (known === undefined) channels.set(channel, [name]);
    else known.push(name);
  }
  return channels;
}

async function* linesOfAll(archive: ArchiveSource, entries: readonly string[]) {
  for (const entry of entries) {
    const input = /\.gz$/i.test(entry)
      ? await openGunzipped(archive, entry)
      : await archive.open(entry);
    const reader = openLogReader(entry);
    let place = { file: entry, row: '1' };
    try {
      for await (const { line: number, bytes } of linesOf(input, HISTORY_LINE_BYTES_MAX)) {
        place = { file: entry, row: String(number) };
        const line: IrcLine =
          bytes === null
            ? { why: 'The line is too long.' }
            : reader.lineOf(bytes.toString('utf8').replace(/\r$/, ''));
        yield { line, place };
      }
    } catch (error) {
      if (!(error instanceof JsonStreamError)) throw error;
      yield { line: { why: error.message }, place };
    }
  }
}

/** Marks that Markdown gives a meaning; IRC has none. */
const MEANT = /[\\`*~$[\]<>#|]|^\s*(?:[-+>]|\d+[.)])(?=\s)|@(?=[*_])|:(?=[\w+-]+:)/g;

const plain = (text: string) => text.replace(MEANT, (mark) => mark.replace(/\S/, '\\$&'));

/** The codes of colours and styles. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the codes
const STYLES = /\u0003(?:\d{1,2}(?:,\d{1,2})?)?|[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g;
const ADDRESSED = /^([^\s:,]{1,50})[:,](?=\s|$)/;

function contentOf(
  { text: raw, isAction }: Extract<IrcLine, { nick: string }>,
  nicks: ReadonlyMap<string, string>,
): HistoryText {
  const text = raw.replace(STYLES, '');
  if (isAction) return [`/me ${withLinks(text)}`];
  const [whole, nick] = ADDRESSED.exec(text) ?? [];
  if (whole === undefined || nick === undefined || !nicks.has(nick)) return [withLinks(text)];
  return [{ mention: nick }, whole.slice(nick.length), withLinks(text.slice(whole.length))];
}

/** Escapes all but addresses, which Markdown finds as they are. */
const withLinks = (text: string): string =>
  text
    .split(/(\bhttps?:\/\/\S+)/)
    .map((part, index) => (index % 2 === 1 ? part : plain(part)))
    .join('');
