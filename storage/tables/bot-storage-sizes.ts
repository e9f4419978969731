import { table } from '../table.ts';

/** How much a user keeps in `bot_storage`, so that the bound is checked without reading all of it. */
export interface BotStorageSizeRow {
  readonly keys: number;
  /** Of keys and values together. */
  readonly characters: number;
}

/** One row a user who keeps something. */
export const botStorageSizes = table<[userId: number], BotStorageSizeRow>('bot_storage_sizes', [
  'keys',
  'characters',
]);
