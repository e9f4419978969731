import { table } from '../table.ts';

/** A text that a bot keeps on the server, by a name of its own choice. */
export interface BotStorageRow {
  readonly value: string;
}

/** User first: what is kept is read and removed for one user. */
export const botStorage = table<[userId: number, key: string], BotStorageRow>('bot_storage', [
  'value',
]);
