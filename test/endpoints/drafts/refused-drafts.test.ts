import { expect, test } from 'vitest';
import { DIRECT_RECIPIENTS_MAX, MESSAGE_LENGTH_MAX } from '../../../src/domain/limits/messages.ts';
import { DRAFTS_PER_REQUEST_MAX } from '../../../src/domain/limits/personal.ts';
import { TIMESTAMP_MAX } from '../../../src/domain/limits/requests.ts';
import {
  edit,
  GENERAL,
  LUNCH,
  listOf,
  NOWHERE,
  PATH,
  store,
  stored,
} from '../../support/messages/drafting.ts';
import { startServer } from '../../support/start-server.ts';

const refusals = [
  { why: 'a type that is none', draft: { ...LUNCH, type: 'direct' }, msg: '["type"] is invalid' },
  { why: 'a type that is a number', draft: { ...LUNCH, type: 1 }, msg: '["type"] is invalid' },
  { why: 'no list of ids', draft: { ...LUNCH, to: GENERAL }, msg: '["to"] is not a list' },
  { why: 'a name', draft: { ...LUNCH, to: ['general'] }, msg: '["to"][0] is not an id' },
  { why: 'half an id', draft: { ...LUNCH, to: [1.5] }, msg: '["to"][0] is not an id' },
  { why: 'an unsafe id', draft: { ...LUNCH, to: [2 ** 53] }, msg: '["to"][0] is not an id' },
  { why: 'a numeric topic', draft: { ...LUNCH, topic: 1 }, msg: '["topic"] is not a string' },
  { why: 'no topic', draft: { ...LUNCH, topic: undefined }, msg: '["topic"] is not a string' },
  {
    why: 'no content',
    draft: { ...LUNCH, content: undefined },
    msg: '["content"] is not a string',
  },
  {
    why: 'a time in words',
    draft: { ...LUNCH, timestamp: 'x' },
    msg: '["timestamp"] is not a number',
  },
  {
    why: 'a negative time',
    draft: { ...LUNCH, timestamp: -1 },
    msg: '["timestamp"] must not be negative',
  },
  {
    why: 'a time that is no date',
    draft: { ...LUNCH, timestamp: TIMESTAMP_MAX + 1 },
    msg: '["timestamp"] is too far away',
  },
  { why: 'a key that no draft has', draft: { ...LUNCH, id: 1 }, msg: ' has a key that is unknown' },
  { why: 'a list', draft: [LUNCH], msg: ' is not a dict' },
  { why: 'null', draft: null, msg: ' is not a dict' },
].map(({ msg, ...rest }) => ({ ...rest, formMsg: msg, msg: undefined }));

const unacceptable = [
  {
    why: 'no channel',
    draft: { ...LUNCH, to: [] },
    msg: 'Must specify exactly 1 channel ID for channel messages',
  },
  {
    why: 'two channels',
    draft: { ...LUNCH, to: [1, 2] },
    msg: 'Must specify exactly 1 channel ID for channel messages',
  },
  { why: 'an unknown channel', draft: { ...LUNCH, to: [99] }, msg: 'Invalid channel ID' },
  { why: 'a negative channel', draft: { ...LUNCH, to: [-1] }, msg: 'Invalid channel ID' },
  { why: 'a hidden channel', draft: { ...LUNCH, to: [2] }, msg: 'Invalid channel ID' },
  {
    why: 'an unknown person',
    draft: { ...NOWHERE, type: 'private', to: [1, 99] },
    msg: 'Invalid user ID 99',
  },
  { why: 'no words', draft: { ...LUNCH, content: ' \n' }, msg: 'Message must not be empty' },
  {
    why: 'a null byte',
    draft: { ...LUNCH, content: 'a\0b' },
    msg: 'Message must not contain null bytes',
  },
  {
    why: 'content one character too long',
    draft: { ...LUNCH, content: 'x'.repeat(MESSAGE_LENGTH_MAX + 1) },
    msg: `Message is too long (limit: ${MESSAGE_LENGTH_MAX} characters)`,
  },
  {
    why: 'a null byte in the topic',
    draft: { ...LUNCH, topic: 'a\0' },
    msg: 'Invalid character in topic, at position 2!',
  },
  {
    why: 'too many people',
    draft: {
      ...NOWHERE,
      type: 'private',
      to: Array.from({ length: DIRECT_RECIPIENTS_MAX + 1 }, (_, index) => index + 1),
    },
    msg: `A direct message has at most ${DIRECT_RECIPIENTS_MAX} recipients`,
  },
].map((each) => ({ ...each, formMsg: '' }));

test.each([...refusals, ...unacceptable])(
  'a draft is refused, stored or edited: $why',
  async ({ draft, msg, formMsg }) => {
    const server = await startServer({ channels: ['general'] });
    const { mel, max } = server.people;
    const hidden = { subscriptions: [{ name: 'hidden' }], invite_only: true };
    await server.post(max, '/users/me/subscriptions', hidden);
    const id = await stored(server, mel, NOWHERE);
    const queue = await server.register(mel);
    const error = { result: 'error', code: 'BAD_REQUEST' };
    const inForm = (name: string) => `${name}${formMsg}`.replace(/^(.*) is invalid$/, 'Invalid $1');
    const added = await store(server, mel, [LUNCH, draft]);
    expect([added.status, added.body]).toEqual([
      400,
      { ...error, msg: msg ?? inForm('drafts[1]') },
    ]);
    const edited = await edit(server, mel, id, draft);
    expect([edited.status, edited.body]).toEqual([400, { ...error, msg: msg ?? inForm('draft') }]);
    // All drafts of a request are stored, or none.
    expect(await listOf(server, mel)).toEqual([{ id, ...NOWHERE }]);
    expect(await queue.now()).toEqual([]);
  },
);

test.each([
  { params: { drafts: '[' }, msg: 'drafts is not valid JSON' },
  { params: { drafts: '{}' }, msg: 'drafts is not a list' },
  {
    params: { drafts: JSON.stringify(Array(DRAFTS_PER_REQUEST_MAX + 1).fill(NOWHERE)) },
    msg: `drafts has more than ${DRAFTS_PER_REQUEST_MAX} items`,
  },
])('storing is refused: $msg', async ({ params, msg }) => {
  const server = await startServer();
  const { mel } = server.people;
  const { status, body } = await server.post(mel, PATH, params);
  expect([status, body]).toEqual([400, { result: 'error', code: 'BAD_REQUEST', msg }]);
  expect(await listOf(server, mel)).toEqual([]);
});

test('storing needs drafts, editing a draft, and both name what is missing', async () => {
  const server = await startServer();
  const { mel } = server.people;
  const id = await stored(server, mel, NOWHERE);
  const missing = (name: string) => ({
    result: 'error',
    code: 'REQUEST_VARIABLE_MISSING',
    msg: `Missing '${name}' argument`,
    var_name: name,
  });
  expect((await server.post(mel, PATH)).body).toEqual(missing('drafts'));
  expect((await server.patch(mel, `${PATH}/${id}`)).body).toEqual(missing('draft'));
});

test("a draft that is not there, or another's, is not found", async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, max } = server.people;
  const id = await stored(server, max);
  const gone = await stored(server, mel);
  await server.delete(mel, `${PATH}/${gone}`);
  for (const unknown of [id, gone, 99, -1]) {
    for (const { status, body } of [
      await edit(server, mel, unknown, LUNCH),
      await server.delete(mel, `${PATH}/${unknown}`),
    ]) {
      const msg = 'Draft does not exist';
      expect([status, body]).toEqual([404, { result: 'error', code: 'BAD_REQUEST', msg }]);
    }
  }
  const { status, body } = await server.delete(mel, `${PATH}/first`);
  const msg = 'draft_id is not an integer';
  expect([status, body]).toEqual([400, { result: 'error', code: 'BAD_REQUEST', msg }]);
  expect(await listOf(server, max)).toEqual([{ id, ...LUNCH }]);
});

test('half a character is refused, whole ones may be escaped', async () => {
  const server = await startServer();
  const { mel } = server.people;
  const json = (content: string) =>
    `[{"type": "", "to": [], "topic": "", "timestamp": 1, "content": "${content}"}]`;
  const halves = ['\\ud83d', '\\uDCAC', '\\udcac\\ud83d', '\\ud83d\\ud83d\\udcac', '\\\\\\ud83d'];
  for (const half of halves) {
    const { status, body } = await server.post(mel, PATH, { drafts: json(half) });
    const msg = 'drafts is not valid Unicode';
    expect([half, status, body]).toEqual([
      half,
      400,
      { result: 'error', code: 'BAD_REQUEST', msg },
    ]);
  }
  expect(await listOf(server, mel)).toEqual([]);
  const whole = { drafts: json('\\ud83d\\uDCAC \\\\ud83d \\u00fc') };
  expect((await server.post(mel, PATH, whole)).body.ids).toEqual([1]);
  expect((await listOf(server, mel))[0].content).toBe('💬 \\ud83d ü');
});
