import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { diskCode, diskFault } from '../../storage/files/disk-fault.ts';
import type { FileName } from '../../storage/files/file-store.ts';
import { objectKey } from '../../storage/files/object-file-store.ts';
import { objectsIn } from '../../storage/files/open-file-store.ts';
import { STORE_FILE } from '../../storage/frozen-store.ts';
import { type HeldStore, holdStore } from '../../storage/held-store.ts';
import { walkPages } from '../../storage/pages/page-walk.ts';
import { checkStore, StoreDamaged } from '../../storage/pages/store-check.ts';
import { openStorePages } from '../../storage/pages/store-pages.ts';
import { checkFiles } from './check-files.ts';
import { checkRows } from './check-rows.ts';
import {
  type CheckTask,
  type Counts,
  type Finding,
  type Findings,
  NOTHING_SEEN,
  openFindings,
} from './findings.ts';

// This is a process of its own for each realm: a damaged store can crash LMDB, which then ends only
// this process.

const [folder = '', isSweep] = process.argv.slice(2);

/** Ends when the parent has gone, so that the snapshot which is held for it does not outlive it. */
process.on('disconnect', () => process.exit(0));
// The parent may have gone while this process was being started.
if (process.send !== undefined && !process.connected) process.exit(0);
// A terminal sends these signals to all processes; the end of the parent is noticed as above.
for (const signal of ['SIGINT', 'SIGHUP', 'SIGTERM'] as const) process.on(signal, () => undefined);

const send = (finding: Finding) => process.send?.(finding);

async function check(): Promise<void> {
  const findings = openFindings(send);
  let counts = NOTHING_SEEN;
  try {
    counts = await checked(findings);
  } catch (error) {
    const what = diskCode(error) === undefined ? (error as Error).message : diskFault(error);
    findings.note('store', { what, where: STORE_FILE });
  }
  findings.end(counts);
}

async function checked(findings: Findings): Promise<Counts> {
  if (!existsSync(join(folder, STORE_FILE))) throw new StoreDamaged('the file is missing');
  await looked(() => checkStore(folder));
  const held = holdStore(folder);
  try {
    const counts = await walkedPages(findings);
    if (findings.seen() > 0) return counts;
    return { ...counts, ...(await walkedRows(held, findings)) };
  } finally {
    await held.close();
  }
}

/** Repeats the comparison of the two meta pages: a commit in between makes them seem to differ. */
async function looked(look: () => void) {
  for (let turn = 1; ; turn++) {
    try {
      look();
      return;
    } catch (error) {
      if (turn === LOOKS_MAX) throw error;
      await pause(LOOK_PAUSE_MS);
    }
  }
}

const LOOKS_MAX = 10;
const LOOK_PAUSE_MS = 7;

const PAGES_A_TURN = 100;

async function walkedPages(findings: Findings): Promise<Counts> {
  const pages = openStorePages(join(folder, STORE_FILE));
  try {
    const walk = walkPages(pages, findings.note);
    for (let count = 1; ; count++) {
      const step = walk.next();
      if (step.done) {
        const { tables, used, free } = step.value;
        const bytes = pages.fileBytes;
        return { ...NOTHING_SEEN, tables: tables.size, pages: used, free_pages: free, bytes };
      }
      if (count % PAGES_A_TURN === 0) await nextTurn();
    }
  } finally {
    pages.close();
  }
}

/** Returns what looks for the files of the realm in the store that machines share. */
async function sizesInStore() {
  const [task] = (await once(process, 'message')) as [CheckTask]; // the parent sends one
  const { realmId } = task;
  const objects = objectsIn(task);
  if (objects === undefined) return undefined;
  return (name: FileName) => objects.sizeOf(objectKey(realmId, name));
}

async function walkedRows(held: HeldStore, findings: Findings) {
  const rows = held.openRows();
  if (rows === undefined) return {};
  const files = checkFiles({
    folder: join(folder, 'uploads'),
    sizeInStore: await sizesInStore(),
    findings,
    isThere: held.has,
  });
  const count = await checkRows({ rows, files, findings });
  const name = rows.reader.realm.get(['realm'])?.stringId ?? null;
  return { name, rows: count, files: files.count() };
}

// A process that crashed left its slot in the reader table. Opening the store again frees it.
if (isSweep === undefined) await check();
else await holdStore(folder).close();
if (process.connected) process.disconnect();
