import type { HistoryText, TextPiece } from '../../history.ts';
import type { Directory } from './directory.ts';

/** A code fence: its line, whatever quotes or lists it stands in. */
const FENCE = /^[\s>]{0,20}(`{3,}|~{3,})/;
/**
 * Parts that name something of the service: mentions of people and groups, channels with their
 * topics, and links to uploads.
 */
const NAMED =
  /@(_?)\*\*([^*\n]{1,200})\*\*|@_?\*([^*\n]{1,200})\*|#\*\*([^*\n]{1,300})\*\*|\[([^[\]\n]{0,500})\]\((?:https?:\/\/[^\s/()]{1,255})?\/user_uploads\/([^\s()]{1,500})\)/g;

/** Returns the content of a message; code stays as it is. */
export function textOfContent(content: string, directory: Directory): HistoryText {
  const pieces: TextPiece[] = [];
  let pending = '';
  let fence: string | undefined;
  for (const [index, line] of content.split('\n').entries()) {
    if (index > 0) pending += '\n';
    const mark = FENCE.exec(line)?.[1];
    const isCode = fence !== undefined || mark !== undefined;
    if (mark !== undefined) {
      if (fence === undefined) fence = mark;
      else if (mark.startsWith(fence)) fence = undefined;
    }
    if (isCode) {
      pending += line;
      continue;
    }
    for (const [part, isLiteral] of partsOf(line)) {
      if (isLiteral) pending += part;
      else {
        for (const piece of named(part, directory)) {
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

function* named(text: string, directory: Directory): Generator<TextPiece> {
  let start = 0;
  for (const found of text.matchAll(NAMED)) {
    const [whole, silent, person, group, place, label, path] = found;
    const piece =
      person !== undefined
        ? mention(person, silent === '_', directory)
        : group !== undefined
          ? groupNamed(group, directory)
          : place !== undefined
            ? channelNamed(place, directory)
            : upload(label ?? '', path ?? '', directory);
    if (piece === undefined) continue;
    yield text.slice(start, found.index);
    yield piece;
    start = found.index + whole.length;
  }
  yield text.slice(start);
}

/** A mention has a name, an id, or both: `Ann`, `|12`, `Ann|12`. */
function mention(text: string, silent: boolean, { users, userNames }: Directory) {
  const [, name = text, id = ''] = /^(.*)\|(\d+)$/.exec(text) ?? [];
  const found = users.has(id) ? id : userNames.get(name.toLowerCase());
  return found === undefined ? undefined : { mention: found, ...(silent && { silent }) };
}

function groupNamed(name: string, { groupNames }: Directory) {
  const group = groupNames.get(name.toLowerCase());
  return group === undefined ? undefined : { group };
}

/** `channel`, `channel>topic` or `channel>topic@message`; ids of messages differ here. */
function channelNamed(text: string, { channelNames }: Directory) {
  const at = text.indexOf('>');
  const name = at < 0 ? text : text.slice(0, at);
  const channel = channelNames.get(name.toLowerCase());
  if (channel === undefined) return undefined;
  return at < 0 ? { channel } : { channel, topic: text.slice(at + 1).replace(/@\d+$/, '') };
}

function upload(label: string, path: string, { files }: Directory) {
  const file = files.uploadAt(path);
  return { file: label === '' ? file : { ...file, label } };
}
