import { BACKUP_NAME } from './manifest.ts';
import type { Place } from './places/place.ts';

/**
 * Removes the oldest backups of a place, so that as many as are to be kept stay. Remains of backups
 * that were never finished are removed as well if they are older than the newest complete one.
 * Returns the names. Anything with another name stays.
 */
export async function removeOldBackups(place: Place, keep: number): Promise<string[]> {
  const names = (await place.names()).filter((name) => BACKUP_NAME.test(name));
  const complete: string[] = [];
  const unfinished: string[] = [];
  for (const name of names) ((await place.isComplete(name)) ? complete : unfinished).push(name);
  const newest = complete.at(-1) ?? '';
  const removed = [
    ...complete.slice(0, Math.max(0, complete.length - keep)),
    ...unfinished.filter((name) => name < newest),
  ];
  for (const name of removed) await place.remove(name);
  return removed;
}
