import type { Writers } from '../realm-store.ts';
import { addNotificationBot } from './0002-notification-bot.ts';

/** By the schema version that each leads to; run in order, each in a transaction of its own. */
export const MIGRATIONS: ReadonlyMap<number, (tables: Writers) => void> = new Map([
  [2, addNotificationBot],
]);
