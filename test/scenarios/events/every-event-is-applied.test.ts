import { expect, test } from 'vitest';
import { ENDPOINTS } from '../../../src/endpoints/index.ts';
import { EVENT_KINDS } from '../../../src/events/events.ts';
import { appliedKinds } from '../../support/applying/kept-state.ts';

/** Kinds of events that are declared under a type that is sent, and that no operation sends. */
const NOT_SENT: readonly string[] = [
  'realm deactivated',
  'realm_user remove',
  'realm_bot update',
  'realm_bot delete',
];

test('4: whatever an endpoint can send, the clients of the tests apply to their snapshots', () => {
  const sent = new Set<string>(ENDPOINTS.flatMap(({ emits = [] }) => emits));
  const kinds = EVENT_KINDS.filter((kind) => sent.has(kind.split(' ')[0] ?? ''));
  const applied = appliedKinds();
  expect(kinds.length).toBeGreaterThan(10);
  expect(kinds.filter((kind) => !applied.includes(kind) && !NOT_SENT.includes(kind))).toEqual([]);
  // Clients apply nothing that nobody declared.
  expect(applied.filter((kind) => !EVENT_KINDS.some((known) => known === kind))).toEqual([]);
});
