import { join } from 'node:path';
import { z } from 'zod';
import { readRegularFile } from './regular-file.ts';
import { replaceFile } from './replace-file.ts';

/**
 * The realms of a data directory, in `realms.json`. Only this list shows that the folder of a realm
 * is gone. It is a second witness, as the records of the stores are (decision 0133), and may be
 * behind.
 */
export type RealmList = z.output<typeof list>['realms'];

const list = z.object({
  realms: z.array(
    z.object({
      id: z.int().positive(),
      /** The present one first. */
      names: z.array(z.string()),
    }),
  ),
});

const listFile = (data: string) => join(data, 'realms.json');

/** Returns an empty list if there is no file, or none that can be read. */
export function readRealmList(data: string): RealmList {
  try {
    return list.parse(JSON.parse(readRegularFile(listFile(data)))).realms;
  } catch {
    return [];
  }
}

/** Writes nothing if the file holds that list already. */
export function keepRealmList(data: string, realms: RealmList) {
  if (JSON.stringify(readRealmList(data)) === JSON.stringify(realms)) return;
  replaceFile(listFile(data), `${JSON.stringify({ realms })}\n`);
}
