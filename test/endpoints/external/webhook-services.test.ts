import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { IN_GENERAL, newest, post, withSender } from '../../support/webhooks/deliveries.ts';

const fixture = (service: string, name: string) => {
  const path = `test/fixtures/webhooks/${service}/${name}`;
  const { payload } = JSON.parse(readFileSync(`${path}.json`, 'utf8'));
  const [topic, ...lines] = readFileSync(`${path}.md`, 'utf8').trimEnd().split('\n');
  return { payload, topic, content: lines.slice(1).join('\n') };
};

test.each([
  ['github', 'push', 'GitHubWebhook', { 'X-GitHub-Event': 'push' }],
  ['gitlab', 'issue-opened', 'GitLabWebhook', {}],
  ['slack_incoming', 'attachments', 'SlackIncomingWebhook', {}],
])('%s: its topic and its message', async (service, name, client, headers) => {
  const { server, bot, ona } = await withSender();
  const { payload, topic, content } = fixture(service, name);
  const query = { stream: 'general' };
  const { body } = await post(server, service, bot, { query, headers, payload });
  expect(body).toEqual({ result: 'success', msg: '', ok: true });
  expect(await newest(server, ona)).toMatchObject({ subject: topic, content, client });
});

test('an event that is filtered out, or of which nothing is said, is a success, and sends nothing', async () => {
  const { server, bot, ona } = await withSender();
  const { payload } = fixture('github', 'push');
  const headers = { 'X-GitHub-Event': 'push' };
  for (const query of [
    { only_events: ['issues'] },
    { exclude_events: ['pu*'] },
    { branches: 'tea, cake' },
  ]) {
    const reply = await post(server, 'github', bot, {
      query: { ...IN_GENERAL, ...query },
      headers,
      payload,
    });
    expect(reply.body).toEqual({ result: 'success', msg: '', ok: true });
  }
  const unknown = { 'X-GitHub-Event': 'unheard_of' };
  const reply = await post(server, 'github', bot, { query: IN_GENERAL, headers: unknown, payload });
  expect({ status: reply.status, body: reply.body }).toEqual({
    status: 200,
    body: {
      result: 'success',
      msg: "The 'unheard_of' event isn't currently supported by the GitHub webhook; ignoring",
      code: 'UNSUPPORTED_WEBHOOK_EVENT_TYPE',
      webhook_name: 'GitHub',
      event_type: 'unheard_of',
    },
  });
  expect(await newest(server, ona)).toBeUndefined();
  const wanted = { ...IN_GENERAL, only_events: ['push'], branches: 'tea, ma*' };
  await post(server, 'github', bot, { query: wanted, headers, payload });
  expect((await newest(server, ona)).subject).toBe('builds');
});

test('without the header that names the event it is refused, as is what is no such payload', async () => {
  const { server, bot, ona } = await withSender();
  const { payload } = fixture('github', 'push');
  const reply = await post(server, 'github', bot, { query: IN_GENERAL, payload });
  expect({ status: reply.status, body: reply.body }).toEqual({
    status: 400,
    body: {
      result: 'error',
      msg: "Missing the HTTP event header 'X-GitHub-Event'",
      code: 'MISSING_HTTP_EVENT_HEADER',
      header: 'X-GitHub-Event',
    },
  });
  const headers = { 'X-GitHub-Event': 'push' };
  const other = await post(server, 'github', bot, { query: IN_GENERAL, headers, payload: {} });
  expect({ status: other.status, body: other.body }).toEqual({
    status: 400,
    body: {
      result: 'error',
      msg: 'Unable to parse request: Did GitHub generate this event? ref is missing or has another type',
      code: 'ANOMALOUS_WEBHOOK_PAYLOAD',
      webhook_name: 'GitHub',
    },
  });
  expect(await newest(server, ona)).toBeUndefined();
});

test('what no text can hold is shown as missing', async () => {
  const { server, bot, ona } = await withSender();
  const payload = { text: 'a\0b \ud800', channel: '\udc00' };
  await post(server, 'slack_incoming', bot, { query: { stream: 'general' }, payload });
  expect(await newest(server, ona)).toMatchObject({
    content: 'ab \ufffd',
    subject: 'general chat',
  });
});
