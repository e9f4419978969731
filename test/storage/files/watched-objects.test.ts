import { pino } from 'pino';
import { expect, test } from 'vitest';
import { openNotes } from '../../../src/notes.ts';
import { watchedObjects } from '../../../storage/objects/heard-objects.ts';
import { contentOf } from '../../../storage/objects/object-store.ts';
import { memoryObjects } from '../../support/files/memory-objects.ts';

function watched() {
  const lines: string[] = [];
  const log = pino({}, { write: (line) => lines.push((JSON.parse(line) as { msg: string }).msg) });
  const store = memoryObjects();
  let now = 0;
  const objects = watchedObjects(store, openNotes(log).filesChanged, () => now);
  const wait = (seconds: number) => {
    now += seconds * 1000;
  };
  return { store, objects, lines, wait };
}

const AWAY = 'the storage of files is away: uploads and downloads are refused';
const BACK = 'the storage of files is there again';

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
}

test('a store that is away leaves a line in the log, and one when it is back', async () => {
  const { store, objects, lines } = watched();
  await objects.put('a', contentOf(Buffer.from('hello')));
  expect(lines).toEqual([]);
  store.isAway = true;
  const requests = [
    () => objects.put('b', contentOf(Buffer.from('more'))),
    () => objects.sizeOf('a'),
    () => objects.remove('a'),
    () => all(objects.chunks('a')),
    () => all(objects.list('')),
  ];
  for (const request of requests) {
    await expect(request()).rejects.toThrow('the store of the test is away');
  }
  expect(lines).toEqual([AWAY]);
  store.isAway = false;
  expect(String(Buffer.concat(await all(objects.chunks('a'))))).toBe('hello');
  await objects.remove('a');
  expect(lines).toEqual([AWAY, BACK]);
});

test('a store that comes and goes leaves two lines a minute at most', async () => {
  const { store, objects, lines, wait } = watched();
  for (let second = 0; second < 90; second++) {
    store.isAway = second % 2 === 0;
    await objects.sizeOf('a').catch(() => undefined);
    wait(1);
  }
  expect(lines).toEqual([AWAY, BACK, AWAY, BACK]);
});

test('an object that is not there, and an error of another kind, are no absence', async () => {
  const { objects, lines } = watched();
  await expect(all(objects.chunks('none'))).rejects.toThrow('no none');
  const wrong = { bytes: 2, chunks: async function* () {} };
  await expect(objects.put('a', wrong)).rejects.toThrow('not as long');
  expect(lines).toEqual([]);
});
