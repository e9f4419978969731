import { expect, test } from 'vitest';
import type { EventBody } from '../../src/domain/wire/events/log-entry.ts';
import { EVENT_KINDS, EVENTS, kindOf, parseEvent } from '../../src/events/events.ts';

const RESTART = {
  id: 3,
  type: 'restart',
  service_version: '1.0.0',
  service_merge_base: '1.0.0',
  service_feature_level: 420,
  server_generation: 1_700_000_000,
};

const DELETED = { id: 4, type: 'delete_message', message_type: 'private', message_ids: [1, 2] };

const RENAMED = {
  id: 5,
  type: 'stream',
  op: 'update',
  stream_id: 1,
  name: 'general',
  property: 'name',
  value: 'lounge',
};

test.each([RESTART, DELETED, RENAMED])('an event as declared is taken: $type', (event) => {
  expect(parseEvent(event)).toEqual(event);
});

test.each([
  { why: 'a type nobody declared', event: { id: 1, type: 'weather' }, msg: /nobody declared/ },
  { why: 'an operation nobody declared', event: { ...RENAMED, op: 'paint' }, msg: /nobody decl/ },
  { why: 'an operation of a type without', event: { ...RESTART, op: 'add' }, msg: /nobody decl/ },
  { why: 'a field too many', event: { ...RESTART, version: 1 }, msg: /"version"/ },
  { why: 'a field too few', event: { ...DELETED, message_type: undefined }, msg: /message_type/ },
  { why: 'no id', event: { ...RESTART, id: undefined }, msg: /id/ },
  { why: 'two forms at once', event: { ...DELETED, message_id: 1 }, msg: /in both/ },
  { why: 'no form at all', event: { ...DELETED, message_ids: undefined }, msg: /in no form/ },
  { why: 'half a place', event: { ...DELETED, stream_id: 1 }, msg: /another type of message/ },
  { why: "another property's value", event: { ...RENAMED, value: 7 }, msg: /another property/ },
])('an event that is not as declared is refused: $why', ({ event, msg }) => {
  expect(() => parseEvent(event)).toThrow(msg);
});

test('each event is listed under its own type and operation, and has an id', () => {
  for (const kind of EVENT_KINDS) {
    const { type, op, id } = EVENTS[kind].shape;
    // As every event is declared, these are literals.
    const [name] = (type as unknown as { values: Set<string> }).values;
    const [operation] = (op as unknown as { values: Set<string> } | undefined)?.values ?? [];
    expect(kindOf({ type: name ?? '', op: operation })).toBe(kind);
    expect(id?.safeParse(1).success).toBe(true);
  }
  expect(EVENT_KINDS).toContain('message');
});

test('what an operation logs is checked when it is compiled', () => {
  const right: EventBody = { type: 'alert_words', alert_words: ['cake'] };
  // @ts-expect-error: a field nobody declared
  const tooMany: EventBody = { type: 'alert_words', alert_words: [], words: [] };
  // @ts-expect-error: a field with its name misspelt
  const misspelt: EventBody = { type: 'alert_words', alert_word: [] };
  // @ts-expect-error: an operation nobody declared
  const noSuch: EventBody = { type: 'stream', op: 'paint', streams: [] };
  expect([right, tooMany, misspelt, noSuch]).toHaveLength(4);
});
