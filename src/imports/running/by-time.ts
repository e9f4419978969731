import { rmSync } from 'node:fs';
import { HISTORY_RUNS_MAX, HISTORY_SORTED_CHARACTERS } from '../../domain/limits/archives.ts';
import type { HistoryMessage, HistoryRow } from '../history.ts';
import { openScratch } from '../scratch.ts';
import { openLines, readLines } from './lines-on-disk.ts';

/** A message as a line of JSON, which takes a fifth of the memory. */
interface Line {
  readonly sentAt: number;
  readonly json: string;
}

type Lines = AsyncGenerator<Line>;

interface Bounds {
  /** Characters of messages that are held until they are written to a file. */
  readonly charactersMax?: number;
  /** Files that are merged at once. */
  readonly runsMax?: number;
}

/**
 * Yields all other rows as they come, and then the messages by time, because ids rise with time
 * here. Messages of one second keep the order that they had. More than fit into memory are sorted
 * in temporary files and merged; `TMPDIR` says where. The memory is that of `charactersMax`, and of
 * one message and a block of each file, however many messages there are.
 */
export async function* byTime(
  rows: AsyncIterable<HistoryRow>,
  { charactersMax = HISTORY_SORTED_CHARACTERS, runsMax = HISTORY_RUNS_MAX }: Bounds = {},
): AsyncGenerator<HistoryRow> {
  const runs = openRuns(runsMax);
  let held: Line[] = [];
  let characters = 0;
  try {
    for await (const row of rows) {
      if (row.kind !== 'message') {
        yield row;
        continue;
      }
      const line = { sentAt: row.sentAt, json: JSON.stringify(row) };
      held.push(line);
      characters += line.json.length;
      if (characters < charactersMax) continue;
      await runs.add(ofList(held));
      held = [];
      characters = 0;
    }
    for await (const { json } of merged([...runs.read(), ofList(held)])) {
      yield JSON.parse(json) as HistoryMessage;
    }
  } finally {
    runs.remove();
  }
}

async function* ofList(lines: Line[]): Lines {
  yield* lines.sort((one, other) => one.sentAt - other.sentAt);
}

/**
 * Sorted messages in files. As soon as a level has `runsMax` of them they are merged to one of the
 * next level, so that few are open at once, and a message is written as often as there are levels.
 */
function openRuns(runsMax: number) {
  const scratch = openScratch();
  // Files of higher levels are older, as are the first of a level.
  const levels: string[][] = [];
  async function write(lines: Lines): Promise<string> {
    const path = scratch.path();
    const file = await openLines(path);
    try {
      for await (const { sentAt, json } of lines) await file.add(`${sentAt}\t${json}`);
      await file.end();
    } finally {
      await file.close();
    }
    return path;
  }
  async function addTo(level: number, lines: Lines): Promise<void> {
    const paths = levels[level] ?? [];
    levels[level] = paths;
    paths.push(await write(lines));
    if (paths.length < runsMax) return;
    levels[level] = [];
    await addTo(level + 1, merged(paths.map(linesIn)));
    for (const path of paths) rmSync(path);
  }
  return {
    remove: scratch.remove,
    add: (lines: Lines) => addTo(0, lines),
    /** Returns the files, the earliest messages first. */
    read: (): Lines[] => [...levels].reverse().flat().map(linesIn),
  };
}

/** Reads messages that are written as their time, a tab and their JSON. */
async function* linesIn(path: string): Lines {
  for await (const line of readLines(path)) {
    const tab = line.indexOf('\t');
    yield { sentAt: Number(line.slice(0, tab)), json: line.slice(tab + 1) };
  }
}

/** Merges sorted lists; of equal times, the message of the earlier list comes first. */
async function* merged(lists: readonly Lines[]): Lines {
  const next = async (list: Lines) => (await list.next()).value as Line | undefined;
  const heads: (Line | undefined)[] = [];
  try {
    for (const list of lists) heads.push(await next(list));
    for (;;) {
      const at = earliest(heads);
      const head = heads[at];
      const list = lists[at];
      if (head === undefined || list === undefined) return;
      yield head;
      heads[at] = await next(list);
    }
  } finally {
    for (const list of lists) await list.return(undefined);
  }
}

function earliest(heads: readonly (Line | undefined)[]): number {
  let found = -1;
  let least = Number.POSITIVE_INFINITY;
  for (const [at, head] of heads.entries()) {
    if (head === undefined || head.sentAt >= least) continue;
    found = at;
    least = head.sentAt;
  }
  return found;
}
