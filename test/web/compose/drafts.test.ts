import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Destination, Draft } from '../../../web/app/store/compose/destination.ts';
import { Drafts } from '../../../web/app/store/compose/drafts.ts';
import type { Params } from '../../support/client.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const LUNCH: Destination = { type: 'channel', channelId: 1, topic: 'lunch' };
const MEL: Destination = { type: 'direct', userIds: [4] };

const draft = (id: number, change: Partial<Draft> = {}): Draft => ({
  id,
  type: 'stream',
  to: [1],
  topic: 'lunch',
  content: 'soup?',
  timestamp: 100,
  ...change,
});

/** A server that keeps drafts, and can be away. */
function opened(known: Draft[] = []) {
  const asked: string[] = [];
  const kept = new Map<number, string>(known.map(({ id, content }) => [id, content]));
  let nextId = 50;
  let isAway = false;
  const calls = {
    call: async (method: string, _path: string, params: Params = {}) => {
      await Promise.resolve();
      if (isAway) throw new Error('away');
      asked.push(method);
      const id = Number(params['draft_id'] ?? 0);
      if (method === 'DELETE') kept.delete(id);
      if (method === 'PATCH') kept.set(id, (params['draft'] as Draft).content);
      if (method !== 'POST') return {};
      const [one] = params['drafts'] as Draft[];
      nextId += 1;
      kept.set(nextId, one?.content ?? '');
      return { ids: [nextId] };
    },
  };
  return {
    drafts: new Drafts(calls, known, () => 5_000),
    asked,
    kept,
    goAway: (away: boolean) => {
      isAway = away;
    },
  };
}

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

test('what is typed is one draft of its conversation, written when the typing pauses', async () => {
  const { drafts, asked, kept } = opened();
  drafts.edit(LUNCH, 's');
  await pass(1_000);
  drafts.edit(LUNCH, 'so');
  expect(asked).toEqual([]);
  await pass(1_500);
  drafts.edit(LUNCH, 'soup');
  drafts.edit(MEL, 'hi');
  await pass(1_500);
  expect(asked).toEqual(['POST', 'PATCH', 'POST']);
  expect([...kept.values()]).toEqual(['soup', 'hi']);
  expect(drafts.textOf({ ...LUNCH, topic: ' Lunch ' })).toBe('soup');
});

test('what was sent leaves no draft, also while it is being written', async () => {
  const { drafts, kept } = opened();
  drafts.edit(LUNCH, 'soup');
  await pass(1_500);
  drafts.edit(LUNCH, 'soups');
  drafts.flush();
  drafts.clear(LUNCH);
  await pass(100);
  expect(kept.size).toBe(0);
  expect(drafts.textOf(LUNCH)).toBe('');
});

test('drafts of before are there, the last one of a conversation', () => {
  const { drafts } = opened([
    draft(2, { content: 'newer', timestamp: 200 }),
    draft(1, { content: 'older' }),
    draft(3, { type: 'private', to: [4], topic: '', content: 'hello' }),
  ]);
  expect(drafts.textOf(MEL)).toBe('hello');
  expect(['newer', 'older']).toContain(drafts.textOf(LUNCH));
});

test('another client writes and removes a draft; what is typed here is not lost', async () => {
  const { drafts, kept } = opened([draft(1)]);
  const update = (content: string) =>
    drafts.apply({ type: 'drafts', op: 'update', draft: draft(1, { content }) });
  update('soup or stew?');
  expect(drafts.textOf(LUNCH)).toBe('soup or stew?');
  drafts.edit(LUNCH, 'stew!');
  update('soup!');
  expect(drafts.textOf(LUNCH)).toBe('stew!');
  await pass(1_500);
  expect(kept.get(1)).toBe('stew!');
  drafts.apply({ type: 'drafts', op: 'remove', draft_id: 1 });
  expect(drafts.textOf(LUNCH)).toBe('');
});

test('while the server is away the text stays, and is written later', async () => {
  const { drafts, kept, goAway } = opened();
  goAway(true);
  drafts.edit(LUNCH, 'soup');
  await pass(2_000);
  expect(kept.size).toBe(0);
  expect(drafts.textOf(LUNCH)).toBe('soup');
  goAway(false);
  await pass(20_000);
  expect([...kept.values()]).toEqual(['soup']);
});
