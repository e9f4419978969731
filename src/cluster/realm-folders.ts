import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { folderIds } from '../admin/making-realms.ts';
import { UPLOADS } from '../admin/realms/starting.ts';

export const realmsFolder = (data: string) => join(data, 'realms');

export const realmFolder = (data: string, realmId: number) =>
  join(realmsFolder(data), String(realmId));

export const uploadsFolder = (data: string, realmId: number) =>
  join(realmFolder(data, realmId), UPLOADS);

/** Returns the ids of the realms that a data directory has. */
export function realmIdsIn(data: string): readonly number[] {
  const folder = realmsFolder(data);
  return existsSync(folder) ? folderIds(folder) : [];
}
