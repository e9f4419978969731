import { fork } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FileSettings } from '../../storage/files/open-file-store.ts';
import { readRealmList } from '../../storage/files/realm-list.ts';
import { readRecord } from '../../storage/pages/store-check.ts';
import { type CheckTask, type Counts, type Fault, type Finding, NOTHING_SEEN } from './findings.ts';

export interface CheckedRealm {
  readonly id: number;
  /** The names that its record gives; none if there is no record yet. */
  readonly names: readonly string[];
  readonly folder: string;
}

/**
 * Returns the realms of a data directory, by its folders and its list. None of them has to be
 * whole.
 */
export function realmsIn(data: string): CheckedRealm[] {
  const root = join(data, 'realms');
  const listed = new Map(readRealmList(data).map(({ id, names }) => [id, names]));
  const found = existsSync(root) ? readdirSync(root) : [];
  const ids = found.filter((name) => /^[1-9]\d*$/.test(name)).map(Number);
  return [...new Set([...ids, ...listed.keys()])]
    .sort((one, other) => one - other)
    .map((id) => {
      const folder = join(root, String(id));
      return { id, names: readRecord(folder)?.names ?? listed.get(id) ?? [], folder };
    });
}

interface Checked {
  readonly faults: readonly Fault[];
  readonly more: number;
  readonly counts: Counts;
}

/** The output about a realm: its faults, then a summary of what was checked. */
export async function checkRealm(
  realm: CheckedRealm,
  files: FileSettings,
): Promise<{ name: string | null; lines: object[]; isSound: boolean }> {
  const since = performance.now();
  const { faults, more, counts } = await checkedApart(realm, files);
  const seconds = Math.round((performance.now() - since) / 10) / 100;
  const { name: found, ...counted } = counts;
  const name = found ?? realm.names[0] ?? null;
  const named = { realm_id: realm.id, realm: name };
  const isSound = faults.length === 0;
  const lines = [
    ...faults.map((fault) => ({ ...named, ...fault })),
    ...(more === 0 ? [] : [{ ...named, what: `and ${more} more` }]),
    { ...named, is_sound: isSound, faults: faults.length + more, ...counted, seconds },
  ];
  return { name, lines, isSound };
}

async function checkedApart(
  { id, folder }: CheckedRealm,
  { files, s3 }: FileSettings,
): Promise<Checked> {
  const faults: Fault[] = [];
  let end: { more: number; counts: Counts } | undefined;
  const { code, signal } = await childOn(
    [folder],
    (finding) => {
      if ('fault' in finding) faults.push(finding.fault);
      else end = finding;
    },
    { realmId: id, files, s3 },
  );
  if (signal === null && code === 0 && end !== undefined) return { faults, ...end };
  await childOn([folder, 'sweep'], () => undefined);
  const why = signal === null ? `with code ${code}` : `by ${signal}`;
  const what = `reading it ended the process ${why}`;
  faults.push({ table: 'store', what, where: 'data.mdb' });
  return { faults, more: end?.more ?? 0, counts: end?.counts ?? NOTHING_SEEN };
}

const PROGRAM = fileURLToPath(new URL('./check-store.js', import.meta.url));

/** Starts a process on a store. Keys of a service are sent to it: others see its arguments. */
function childOn(args: readonly string[], on: (finding: Finding) => void, task?: CheckTask) {
  return new Promise<{ code: number | null; signal: string | null }>((resolve, reject) => {
    const child = fork(PROGRAM, args, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    child.on('message', (message) => on(message as Finding)); // it sends nothing else
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code, signal }));
    // If it has ended already, `close` says so.
    if (task !== undefined) child.send(task, () => undefined);
  });
}
