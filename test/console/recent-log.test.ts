import { pino } from 'pino';
import { expect, test } from 'vitest';
import { openRecentLog } from '../../src/console/recent-log.ts';
import type { LogRecord } from '../../src/console/wire.ts';
import { LOG_CHARACTERS_KEPT, LOG_RECORDS_KEPT } from '../../src/domain/limits/operator.ts';

function opened() {
  const recent = openRecentLog();
  const log = pino({ level: 'trace', base: { name: 'confab', pid: 1 } }, { write: recent.add });
  return { recent, log };
}

test('a record has its level, its text, its other fields, and what it means', () => {
  const { recent, log } = opened();
  log.warn({ freeBytes: 12 }, 'the disk is nearly full: only reading and deleting go on');
  expect(recent.all()).toEqual([
    {
      id: 1,
      at: expect.any(Number),
      level: 'warn',
      text: 'the disk is nearly full: only reading and deleting go on',
      fields: '{"freeBytes":12}',
      why: expect.stringMatching(/^Make room/),
    },
  ]);
});

test('a text that nobody has explained has no meaning, and a line that is no record is its text', () => {
  const { recent, log } = opened();
  log.info('toString');
  recent.add('out of hand\n');
  expect(recent.all().map(({ text, fields, why }) => ({ text, fields, why }))).toEqual([
    { text: 'toString', fields: '', why: '' },
    { text: 'out of hand', fields: '', why: '' },
  ]);
});

test('the newest records are kept, with numbers that go on', () => {
  const { recent, log } = opened();
  for (let count = 1; count <= LOG_RECORDS_KEPT + 5; count++) log.info(`record ${count}`);
  const all = recent.all();
  expect(all).toHaveLength(LOG_RECORDS_KEPT);
  expect(all[0]).toMatchObject({ id: 6, text: 'record 6' });
  expect(all.at(-1)).toMatchObject({ id: LOG_RECORDS_KEPT + 5 });
});

test('long records push out more of the older ones', () => {
  const { recent } = opened();
  const half = 'x'.repeat(LOG_CHARACTERS_KEPT / 2);
  recent.add(half);
  recent.add(half);
  expect(recent.all()).toHaveLength(2);
  recent.add(half);
  expect(recent.all().map(({ id }) => id)).toEqual([2, 3]);
  recent.add(half.repeat(3));
  expect(recent.all().map(({ id }) => id)).toEqual([4]);
});

test('those who follow get each further record until they stop', () => {
  const { recent, log } = opened();
  log.info('before');
  const got: LogRecord[] = [];
  const stop = recent.follow((record) => got.push(record));
  log.info('one');
  log.error('two');
  stop();
  log.info('after');
  expect(got).toEqual(recent.all().slice(1, 3));
});
