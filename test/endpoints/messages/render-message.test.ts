import { expect, test } from 'vitest';
import { MESSAGE_LENGTH_MAX } from '../../../src/domain/limits/messages.ts';
import { startServer } from '../../support/start-server.ts';

const SUCCESS = { result: 'success', msg: '' };

test('content is rendered as a message of the caller would be, and nothing comes of it', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, max } = server.people;
  const queue = await server.register(max);
  const { status, body } = await server.post(mel, '/messages/render', {
    content: '\n**soup** for @**Max Member** in #**general** ',
  });
  const rendered = `<p><strong>soup</strong> for <span class="user-mention" data-user-id="${max.id}">@Max Member</span> in <a class="stream" data-stream-id="1" href="/#narrow/channel/1-general">#general</a></p>`;
  expect([status, body]).toEqual([200, { ...SUCCESS, rendered }]);
  expect(await queue.now()).toEqual([]);
});

test('what somebody may not know of is not rendered for them', async () => {
  const server = await startServer({ channels: ['general'] });
  const { ona, mel } = server.people;
  const secret = { subscriptions: [{ name: 'secret' }], invite_only: true };
  await server.post(ona, '/users/me/subscriptions', secret);
  const render = async (as: typeof mel) =>
    (await server.post(as, '/messages/render', { content: '#**secret**' })).body.rendered;
  expect(await render(ona)).toContain('data-stream-id="2"');
  expect(await render(mel)).not.toContain('data-stream-id');
});

test('nothing is rendered as nothing, and the longest message as it is', async () => {
  const server = await startServer();
  const render = async (content: string) =>
    (await server.post(server.people.mel, '/messages/render', { content })).body;
  expect(await render('')).toEqual({ ...SUCCESS, rendered: '' });
  const longest = '😀'.repeat(MESSAGE_LENGTH_MAX);
  expect((await render(longest)).rendered).toContain('emoji');
});

test.each([
  {
    why: 'nothing to render',
    params: {},
    body: {
      code: 'REQUEST_VARIABLE_MISSING',
      msg: "Missing 'content' argument",
      var_name: 'content',
    },
  },
  {
    why: 'a NUL',
    params: { content: 'a\0b' },
    body: { code: 'BAD_REQUEST', msg: 'Message must not contain null bytes' },
  },
  {
    why: 'longer than a message',
    params: { content: 'x'.repeat(MESSAGE_LENGTH_MAX + 1) },
    body: {
      code: 'BAD_REQUEST',
      msg: `Message is too long (limit: ${MESSAGE_LENGTH_MAX} characters)`,
    },
  },
])('is refused: $why', async ({ params, body }) => {
  const server = await startServer();
  const reply = await server.post(server.people.mel, '/messages/render', params);
  expect([reply.status, reply.body]).toEqual([400, { result: 'error', ...body }]);
});
