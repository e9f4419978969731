import { EXTRA_EMOJI } from '../../../domain/rules/texts/emoji.ts';
import type { HistoryText, TextPiece } from '../../history.ts';
import type { Directory } from './directory.ts';
import { linkedPlace } from './narrow-links.ts';

/** A fence: its line, whatever quotes or lists it stands in, and what is behind the marks. */
const FENCE = /^[\s>]{0,20}(`{3,}(?!`)|~{3,}(?!~))(.*)$/;
/** Fences whose content is text and not code. */
const TEXT_FENCE = /^ {0,20}(?:quoted?|spoiler)(?: |$)/i;
/** A cell of a table begins or ends in the line. */
const TABLE_LINE = /^[\s>]{0,20}\||\s\|/;
/**
 * Parts that name something of the service: mentions of people and groups, channels with their
 * topics, links to uploads, and links to channels and messages; and the emoji of the service.
 */
const NAMES = [
  String.raw`@(?<quiet>_?)\*\*(?<person>[^*\n]{1,200})\*\*`,
  String.raw`@(?<silent>_?)\*(?<group>[^*\n]{1,200})\*`,
  '(?<extra>:zulip:)',
  String.raw`#\*\*(?<place>[^*\n]{1,300})\*\*`,
  String.raw`\[(?<label>[^[\]\n]{0,500})\]\((?<host>https?:\/\/[^\s/()]{1,255})?(?:` +
    String.raw`\/user_uploads\/(?<path>[^\s()]{1,500})|\/?#narrow\/(?<narrow>[^\s()]{1,1000}))\)`,
  String.raw`(?<![(<])(?<bareHost>https?:\/\/[^\s/()]{1,255})\/#narrow\/` +
    '(?<bare>[^\\s()<>"\'`]{0,999}[\\w/-])',
].join('|');

export const NAMED = new RegExp(NAMES, 'g');

/** Returns the content of a message; code stays as it is. */
export function textOfContent(content: string, directory: Directory): HistoryText {
  const pieces: TextPiece[] = [];
  let pending = '';
  const fences = new Fences();
  for (const [index, line] of content.split('\n').entries()) {
    if (index > 0) pending += '\n';
    if (fences.isCode(line)) {
      pending += line;
      continue;
    }
    const within = { directory, inTable: TABLE_LINE.test(line) };
    for (const [part, isLiteral] of partsOf(line)) {
      if (isLiteral) pending += part;
      else {
        for (const piece of named(part, within)) {
          if (typeof piece === 'string') pending += piece;
          else {
            if (pending !== '') pieces.push(pending);
            pending = '';
            pieces.push(piece);
          }
        }
      }
    }
  }
  if (pending !== '') pieces.push(pending);
  return pieces;
}

/** Knows which lines are code: those of fences, except of quotes and spoilers, which have text. */
class Fences {
  private readonly open: { readonly mark: string; readonly isText: boolean }[] = [];

  isCode(line: string): boolean {
    const inner = this.open.at(-1);
    const [, mark, rest = ''] = FENCE.exec(line) ?? [];
    if (mark === undefined) return inner !== undefined && !inner.isText;
    if (inner !== undefined && rest.trim() === '' && mark.startsWith(inner.mark)) this.open.pop();
    else if (inner === undefined || inner.isText) {
      this.open.push({ mark, isText: TEXT_FENCE.test(rest) });
    }
    return true;
  }
}

/** Splits a line into code between backticks and the rest. */
function* partsOf(line: string): Generator<readonly [part: string, isCode: boolean]> {
  const runs = Array.from(line.matchAll(/`+/g), ({ 0: { length }, index }) => ({ length, index }));
  // By length, the positions of runs that may still close one.
  const byLength = new Map<number, number[]>();
  for (const { length, index } of [...runs].reverse()) {
    const known = byLength.get(length);
    if (known === undefined) byLength.set(length, [index]);
    else known.push(index);
  }
  let start = 0;
  for (const { length, index } of runs) {
    const later = byLength.get(length) ?? [];
    while (later.length > 0 && (later.at(-1) ?? 0) <= index) later.pop();
    const close = later.at(-1);
    if (index < start || close === undefined) continue;
    yield [line.slice(start, index), false];
    yield [line.slice(index, close + length), true];
    start = close + length;
  }
  yield [line.slice(start), false];
}

interface Line {
  readonly directory: Directory;
  readonly inTable: boolean;
}

function* named(text: string, line: Line): Generator<TextPiece> {
  let start = 0;
  for (const found of text.matchAll(NAMED)) {
    const piece = pieceOf(found.groups ?? {}, line);
    if (piece === null) continue;
    yield text.slice(start, found.index);
    yield piece;
    start = found.index + found[0].length;
  }
  yield text.slice(start);
}

/** Returns what a part names; null for names that the archive does not have. */
function pieceOf(
  parts: Readonly<Record<string, string | undefined>>,
  line: Line,
): TextPiece | null {
  const { quiet, person, silent, group, place, label, host, path, narrow, bareHost, bare } = parts;
  if (parts['extra'] !== undefined) return `:${EXTRA_EMOJI}:`;
  const { directory } = line;
  if (person !== undefined) return mention(person, quiet === '_', line);
  if (group !== undefined) return groupNamed(group, silent === '_', directory);
  if (place !== undefined) return channelNamed(place, directory);
  if (path !== undefined) return upload(label ?? '', path, directory);
  const at = (host ?? bareHost)?.replace(/^https?:\/\//, '');
  return linkedPlace({ host: at, narrow: narrow ?? bare ?? '', label }, directory);
}

/** A mention has a name, an id, or both: `Ann`, `|12`, `Ann|12`. */
function mention(text: string, silent: boolean, { directory, inTable }: Line): TextPiece | null {
  const { users, userNames } = directory;
  const [, name = text, id = ''] = /^(.*)\|(\d+)$/.exec(text) ?? [];
  const found = users.has(id) ? id : userNames.get(name.toLowerCase());
  if (found === undefined) return null;
  return { mention: found, ...(silent && { silent }), ...(inTable && { inTable }) };
}

function groupNamed(name: string, silent: boolean, { groupNames, groups }: Directory) {
  const group = groupNames.get(name.toLowerCase());
  // Groups of roles have the same names here.
  if (group === undefined || groups.named.get(group)?.isSystem === true) return null;
  return { group, ...(silent && { silent }) };
}

/** `channel`, `channel>topic` or `channel>topic@message`; names may have a `>` as well. */
function channelNamed(text: string, { channelNames }: Directory): TextPiece | null {
  const at = text.indexOf('>');
  const before = at < 0 ? undefined : channelNames.get(text.slice(0, at).toLowerCase());
  if (before === undefined) {
    const channel = channelNames.get(text.toLowerCase());
    return channel === undefined ? null : { channel };
  }
  const [, topic = text.slice(at + 1), message] =
    /^(.*)@(\d{1,15})$/.exec(text.slice(at + 1)) ?? [];
  return { channel: before, topic, ...(message !== undefined && { message }) };
}

function upload(label: string, path: string, { files }: Directory): TextPiece {
  const file = files.uploadAt(path);
  return { file: label === '' ? file : { ...file, label } };
}
