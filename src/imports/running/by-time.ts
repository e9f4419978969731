import { createReadStream, mkdtempSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HISTORY_RUNS_MAX, HISTORY_SORTED_CHARACTERS } from '../../domain/limits/archives.ts';
import type { HistoryMessage, HistoryRow } from '../history.ts';
import { jsonLines } from '../json-stream.ts';

type Messages = AsyncGenerator<HistoryMessage>;

/**
 * Yields all other rows as they come, and then the messages by time, because ids rise with time
 * here. Messages of one second keep the order that they had. More than fit into memory are sorted
 * in temporary files and merged; `TMPDIR` says where.
 */
export async function* byTime(rows: AsyncIterable<HistoryRow>): AsyncGenerator<HistoryRow> {
  const runs = openRuns();
  let messages: HistoryMessage[] = [];
  let characters = 0;
  try {
    for await (const row of rows) {
      if (row.kind !== 'message') {
        yield row;
        continue;
      }
      messages.push(row);
      characters += JSON.stringify(row).length;
      if (characters < HISTORY_SORTED_CHARACTERS) continue;
      await runs.add(ofList(messages));
      messages = [];
      characters = 0;
    }
    yield* merged([...runs.read(), ofList(messages)]);
  } finally {
    runs.remove();
  }
}

async function* ofList(messages: HistoryMessage[]): Messages {
  yield* messages.sort((one, other) => one.sentAt - other.sentAt);
}

/** Sorted messages in files, only so many that all can be open at once. */
function openRuns() {
  let folder: string | undefined;
  let count = 0;
  let paths: string[] = [];
  const remove = () => {
    if (folder === undefined) return;
    process.off('exit', remove);
    rmSync(folder, { recursive: true, force: true });
  };
  const read = (): Messages[] => paths.map(messagesOf);
  async function write(messages: Messages): Promise<string> {
    if (folder === undefined) {
      folder = mkdtempSync(join(tmpdir(), 'confab-import-'));
      process.once('exit', remove);
    }
    count += 1;
    const path = join(folder, String(count));
    await writeLines(path, messages);
    return path;
  }
  return {
    read,
    remove,
    async add(messages: Messages) {
      if (paths.length >= HISTORY_RUNS_MAX) {
        const whole = await write(merged(read()));
        for (const path of paths) rmSync(path);
        paths = [whole];
      }
      paths.push(await write(messages));
    },
  };
}

const WRITTEN_AT_ONCE = 256 * 1024;

async function writeLines(path: string, messages: Messages) {
  const file = await open(path, 'wx', 0o600);
  try {
    let pending = '';
    for await (const message of messages) {
      pending += `${JSON.stringify(message)}\n`;
      if (pending.length < WRITTEN_AT_ONCE) continue;
      await file.writeFile(pending);
      pending = '';
    }
    await file.writeFile(pending);
  } finally {
    await file.close();
  }
}

async function* messagesOf(path: string): Messages {
  const bytesMax = Number.POSITIVE_INFINITY; // its lines were written here
  for await (const line of jsonLines(createReadStream(path), { bytesMax })) {
    if ('why' in line) throw new Error(`${path}:${line.line}: ${line.why}`);
    yield line.value as HistoryMessage;
  }
}

/** Merges sorted lists; of equal times, the message of the earlier list comes first. */
async function* merged(lists: readonly Messages[]): Messages {
  const next = async (list: Messages) => (await list.next()).value as HistoryMessage | undefined;
  const heads: (HistoryMessage | undefined)[] = [];
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

function earliest(heads: readonly (HistoryMessage | undefined)[]): number {
  let found = -1;
  let least = Number.POSITIVE_INFINITY;
  for (const [at, head] of heads.entries()) {
    if (head === undefined || head.sentAt >= least) continue;
    found = at;
    least = head.sentAt;
  }
  return found;
}
