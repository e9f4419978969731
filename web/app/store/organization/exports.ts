/** Archives with what an organization has. */
import type { ReplyOf } from '@confab/client';
import { app } from '../app.ts';

export type RealmExport = ReplyOf<'GET', '/export/realm'>['exports'][number];

/** Returns the exports, newest first. */
export const exportsOfRealm = async (): Promise<readonly RealmExport[]> =>
  [...(await app.chat.call('GET', '/export/realm')).exports].reverse();

export const EXPORT_TYPES: readonly (readonly [value: string, words: string])[] = [
  ['1', 'What is public'],
  ['2', 'Also what is private, of those who agree'],
];

export const startExport = (type: string) =>
  app.chat.call('POST', '/export/realm', { export_type: type === '2' ? 2 : 1 });

export const deleteExport = (id: number) =>
  app.chat.call('DELETE', '/export/realm/{export_id}', { export_id: id });

/** Returns how many people let their private data be exported. */
export async function consents(): Promise<{ readonly agreed: number; readonly all: number }> {
  const { export_consents: all } = await app.chat.call('GET', '/export/realm/consents');
  return { agreed: all.filter(({ consented }) => consented).length, all: all.length };
}

/** Returns what became of an export. */
export function outcomeOf(one: RealmExport): 'pending' | 'failed' | 'deleted' | 'ready' {
  if (one.pending) return 'pending';
  if (one.failed_timestamp !== null) return 'failed';
  return one.deleted_timestamp !== null || one.export_url === null ? 'deleted' : 'ready';
}
