import type { Heard } from '../../src/domain/presence.ts';
import { table } from '../table.ts';

export interface PresenceRow extends Heard {
  readonly userId: number;
}

/**
 * By the number of the change, of which a user has only the newest: each client asks every minute what is new since the
 * last number it knows, which is the end of the table.
 */
export const presences = table<[updateId: number], PresenceRow>('presences', [
  'activeAt',
  'connectedAt',
  'userId',
]);
