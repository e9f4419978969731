import { z } from 'zod';
import type { FileSettings } from '../../storage/files/open-file-store.ts';
import { type CheckedRealm, checkRealm, realmsIn } from '../checks/check-realms.ts';
import { noSuchRealm } from './commands/refusals.ts';

/**
 * Checks the files of a data directory, with or without a server on it. It only reads, in processes
 * of its own, so the command line runs it itself.
 */
export const CHECK = {
  args: z.object({ realm: z.string().optional() }),
} as const;

/** Yields the lines as they are known, and returns whether all is sound. */
export async function* check(
  data: string,
  { realm }: z.output<typeof CHECK.args>,
  files: FileSettings,
): AsyncGenerator<object, boolean> {
  const isNamed = ({ id, names }: CheckedRealm) =>
    names.includes(realm ?? '') || String(id) === realm;
  const all = realmsIn(data);
  // A realm without a record may be the requested one; its name is known once it was read.
  const selected = all.filter(
    (one) => realm === undefined || isNamed(one) || one.names.length === 0,
  );
  let isSound = true;
  let isFound = realm === undefined;
  for (const one of selected) {
    const checked = await checkRealm(one, files);
    if (realm !== undefined && !isNamed(one) && checked.name !== realm) continue;
    yield* checked.lines;
    isSound &&= checked.isSound;
    isFound = true;
  }
  if (!isFound) throw noSuchRealm(realm ?? '');
  return isSound;
}
