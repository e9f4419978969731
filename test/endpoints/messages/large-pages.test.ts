import { expect, test } from 'vitest';
import { FETCHED_BYTES_MAX, SEARCH_MARKS_MAX } from '../../../src/domain/limits/messages.ts';
import type { Params } from '../../support/client.ts';
import { sendMany } from '../../support/messages/many-messages.ts';
import { startServer } from '../../support/start-server.ts';

const COUNT = 300;
/** Each word of this text is found by a search. */
const LONG = 'a '.repeat(4_990);
/** An answer may go beyond its bound by the message that fills it, and by what is not estimated. */
const BYTES_MAX = 1.2 * FETCHED_BYTES_MAX;

async function withLongMessages(count = COUNT, content = LONG) {
  const server = await startServer({ channels: ['general'] });
  const { mel } = server.people;
  const sent = await sendMany(server, { as: mel, count, topic: 'long', content: () => content });
  const ask = async (params: Params) => {
    const reply = await server.get(mel, '/messages', params);
    expect(reply.status).toBe(200);
    expect(Number(reply.headers['content-length'])).toBeLessThan(BYTES_MAX);
    const ids: number[] = reply.body.messages.map(({ id }: { id: number }) => id);
    return { ...reply.body, ids };
  };
  return { server, mel, sent, ask };
}

const NARROWS = [
  { what: 'a list', narrow: [['topic', 'long']], pagesMin: 2 },
  { what: 'a search', narrow: [['search', 'a']], pagesMin: 5 },
  {
    what: 'a search for several things',
    narrow: [
      ['search', 'a'],
      ['search', '"a a"'],
    ],
    pagesMin: 5,
  },
];

test.each(NARROWS)(
  '$what of long messages comes in pages, which have each message once',
  async ({ narrow, pagesMin }) => {
    const { sent, ask } = await withLongMessages();
    const back: number[][] = [];
    for (let anchor: string | number = 'newest', isFirst = true; ; isFirst = false) {
      const page = await ask({ narrow, anchor, num_before: 5_000, include_anchor: isFirst });
      expect(page.found_newest).toBe(isFirst);
      back.unshift(page.ids);
      if (page.found_oldest) break;
      expect(page.ids.length).toBeGreaterThan(0);
      anchor = page.ids[0];
    }
    expect(back.flat()).toEqual(sent);
    expect(back.length).toBeGreaterThanOrEqual(pagesMin);

    // Some clients get the message of the anchor again; this is one of them.
    const forth: number[] = [];
    for (let anchor: string | number = 'oldest'; ; ) {
      const page = await ask({ narrow, anchor, num_after: 5_000 });
      const known = forth.pop();
      if (known !== undefined) expect(page.ids[0]).toBe(known);
      forth.push(...page.ids);
      if (page.found_newest) break;
      anchor = forth.at(-1) ?? 'oldest';
    }
    expect(forth).toEqual(sent);
  },
);

test.each(NARROWS)(
  '$what around a message has it, and as much before it as behind',
  async ({ narrow }) => {
    const { sent, ask } = await withLongMessages();
    const middle = sent[COUNT / 2] ?? expect.fail();
    const page = await ask({ narrow, anchor: middle, num_before: 2_500, num_after: 2_500 });
    expect(page).toMatchObject({
      anchor: middle,
      found_anchor: true,
      found_oldest: false,
      found_newest: false,
    });
    const first = sent.indexOf(page.ids[0]);
    expect(page.ids).toEqual(sent.slice(first, first + page.ids.length));
    const [before, after] = [COUNT / 2 - first, first + page.ids.length - 1 - COUNT / 2];
    expect(Math.abs(before - after)).toBeLessThanOrEqual(1);
    expect(before).toBeGreaterThan(1);
  },
);

test('near an end of the list the other side has what is left, and the end is told', async () => {
  const { sent, ask } = await withLongMessages();
  const last = sent.at(-3) ?? expect.fail();
  const narrow = [['topic', 'long']];
  const page = await ask({ narrow, anchor: last, num_before: 2_500, num_after: 2_500 });
  expect(page).toMatchObject({ found_anchor: true, found_oldest: false, found_newest: true });
  expect(page.ids).toEqual(sent.slice(-page.ids.length));
  expect(page.ids.length).toBeGreaterThan(50);
});

test('quotes, which are six characters each in HTML, fill an answer sooner than as they were written', async () => {
  const { ask } = await withLongMessages(300, '"'.repeat(9_900));
  const params = { narrow: [['topic', 'long']], anchor: 'newest', num_before: 5_000 };
  const html = await ask({ ...params, apply_markdown: true });
  expect(html.ids.length).toBeGreaterThan(20);
  expect(html.ids.length).toBeLessThan(FETCHED_BYTES_MAX / 59_400 + 2);
  expect(html.found_oldest).toBe(false);
});

test('messages by their ids cannot be left out, so too much at once is refused', async () => {
  const { server, mel, sent } = await withLongMessages();
  const matches = '/messages/matches_narrow';
  for (const { path, name, narrow } of [
    { path: '/messages', name: 'message_ids', narrow: [] },
    { path: '/messages', name: 'message_ids', narrow: [['search', 'a']] },
    { path: matches, name: 'msg_ids', narrow: [['search', 'a']] },
    { path: matches, name: 'msg_ids', narrow: [['channel', 'general']] },
  ]) {
    const few = await server.get(mel, path, { [name]: sent.slice(0, 40), narrow });
    expect(Object.keys(few.body.messages).length).toBe(40);
    expect(await server.get(mel, path, { [name]: sent, narrow })).toMatchObject({
      status: 400,
      body: { code: 'BAD_REQUEST', msg: expect.stringMatching(/too long for one answer/) },
    });
  }
});

test('of a message that is found everywhere as many places are marked as there is room for', async () => {
  const { ask } = await withLongMessages(1);
  const [message] = (await ask({ narrow: [['search', 'a']], anchor: 'newest', num_before: 9 }))
    .messages;
  const marks = message.match_content.match(/<span class="highlight">a<\/span>/g);
  expect(marks.length).toBe(SEARCH_MARKS_MAX);
  expect(message.match_content.replace(/<\/?span[^>]*>/g, '')).toBe(message.content);
});

test('5,000 messages as people write them come in one answer', async () => {
  const text = 'well, that is what I said on Monday, too: the soup is better the day after, ';
  const { ask } = await withLongMessages(5_000, `${text}is it not?`);
  for (const narrow of [[['topic', 'long']], [['search', 'soup']]]) {
    const page = await ask({ narrow, anchor: 'newest', num_before: 5_000 });
    expect(page.ids.length).toBe(5_000);
  }
});

test('flags of many long messages are changed in steps, each of which says how far it came', async () => {
  const { server, sent } = await withLongMessages();
  const { max } = server.people;
  const processed: number[] = [];
  let anchor: number | string = 'oldest';
  for (let step = 0; ; step++) {
    const { body } = await server.post(max, '/messages/flags/narrow', {
      anchor,
      include_anchor: false,
      num_before: 0,
      num_after: 5_000,
      narrow: [['topic', 'long']],
      op: 'add',
      flag: 'starred',
    });
    processed.push(body.processed_count);
    if (body.found_newest) break;
    anchor = body.last_processed_id;
    expect(step).toBeLessThan(20);
  }
  expect(processed.length).toBeGreaterThan(1);
  expect(processed.reduce((sum, count) => sum + count, 0)).toBe(sent.length);
});
