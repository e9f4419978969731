import { expect, test } from 'vitest';
import { z } from 'zod';
import { type DescribedParam, describedParams } from '../../src/endpoints/described-params.ts';
import { ENDPOINTS } from '../../src/endpoints/index.ts';
import { paramReader } from '../../src/endpoints/param-reader.ts';
import { startServer } from '../support/start-server.ts';

/** The values that a parameter may have, in JSON Schema. */
interface Shape {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Shape[];
}

/**
 * Returns the words that a parameter takes. For one that is JSON text of any string, it is a word
 * that each of them takes.
 */
function wordsOf({ value, isJson }: Pick<DescribedParam, 'value' | 'isJson'>): string[] {
  const shape = z.toJSONSchema(value, { unrepresentable: 'any', io: 'input' }) as Shape;
  return wordsOfShape(shape, isJson);
}

function wordsOfShape(shape: Shape, isJson: boolean): string[] {
  const fixed = [...(shape.enum ?? []), shape.const].filter((one) => typeof one === 'string');
  if (fixed.length > 0) return fixed;
  if (shape.anyOf !== undefined) return shape.anyOf.flatMap((one) => wordsOfShape(one, isJson));
  return isJson && shape.type === 'string' ? ['https://hooks.example/a'] : [];
}

const readerOf = (param: z.ZodType | undefined) => (text: string) =>
  paramReader({ it: param ?? z.never() }).read({ it: text }, {})['it'];

const ROWS = ENDPOINTS.flatMap((endpoint) =>
  describedParams(endpoint).map((described) => ({
    name: `${endpoint.method} ${endpoint.path} ${described.name}`,
    words: wordsOf(described),
    isInPath: described.isInPath,
    read: readerOf(endpoint.params[described.name]),
  })),
).filter(({ words, isInPath }) => words.length > 0 && !isInPath);

test.each(ROWS)('words are taken bare and quoted: $name', ({ words, read }) => {
  for (const word of words) {
    const bare = read(word);
    expect(bare).not.toBeUndefined();
    expect(read(JSON.stringify(word))).toEqual(bare);
  }
});

test('the words of the API, by parameter', () => {
  const names = ROWS.map(({ name }) => name.split(' ').at(-1) ?? '');
  expect([...new Set(names)].sort()).toEqual([
    'anchor',
    'emojiset',
    'include_subscribers',
    'kind',
    'message_content_delete_limit_seconds',
    'message_content_edit_limit_seconds',
    'message_edit_history_visibility_policy',
    'message_retention_days',
    'move_messages_between_streams_limit_seconds',
    'move_messages_within_stream_limit_seconds',
    'msg_type',
    'notification_sound',
    'op',
    'payload_url',
    'propagate_mode',
    'report_type',
    'resolved_topic_notice_auto_read_policy',
    'service_payload_url',
    'status',
    'token_kind',
    'topics_policy',
    'type',
    'web_animate_image_previews',
    'web_home_view',
  ]);
});

/** Words that no declaration lists: an operation or a refinement of the schema knows them. */
const CHECKED_LATER: Readonly<Record<string, string>> = {
  default_code_block_language: 'python',
  default_language: 'de',
  flag: 'starred',
  onboarding_step: 'visibility_policy_banner',
  property: 'color',
  reaction_type: 'unicode_emoji',
  timezone: 'Europe/Berlin',
};

test('words that are checked later are taken quoted at every endpoint that has them', () => {
  const read = Object.entries(CHECKED_LATER).flatMap(([name, word]) =>
    ENDPOINTS.filter(({ params }) => name in params).map(({ method, path, params }) => {
      const quoted = readerOf(params[name]);
      return [`${method} ${path} ${name}`, quoted(JSON.stringify(word)), quoted(word)];
    }),
  );
  expect(read.length).toBeGreaterThan(Object.keys(CHECKED_LATER).length);
  expect(read).toEqual(read.map(([name, , bare]) => [name, bare, bare]));
});

test.each(['"inherit', '"inherit" x', '""inherit""', '["inherit"]', '"no such word"', '"\\ud800"'])(
  'what only looks quoted is refused: %s',
  async (topics_policy) => {
    const server = await startServer();
    const params = { name: 'mill', subscribers: '[]', topics_policy };
    const { status, body } = await server.post(server.people.ona, '/channels/create', params);
    expect([status, body]).toMatchObject([
      400,
      { code: 'BAD_REQUEST', msg: expect.stringMatching(/^Invalid topics_policy/) },
    ]);
  },
);

const POLICIES = ['inherit', '"inherit"', 'disable_empty_topic', '"disable_empty_topic"'];

test.each(POLICIES)('channels are made and changed with the topics policy %s', async (policy) => {
  const server = await startServer();
  const { ona } = server.people;
  const made = [
    await server.post(ona, '/channels/create', {
      name: 'mill',
      subscribers: '[]',
      topics_policy: policy,
    }),
    await server.post(ona, '/users/me/subscriptions', {
      subscriptions: '[{"name":"dam"}]',
      topics_policy: policy,
    }),
    await server.post(ona, '/users/me/subscriptions', { subscriptions: '[{"name":"weir"}]' }),
  ];
  const { body } = await server.get(ona, '/get_stream_id', { stream: 'weir' });
  const changed = await server.patch(ona, `/streams/${body.stream_id}`, { topics_policy: policy });
  expect([...made, changed].map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  const all = await server.get(ona, '/streams', { include_all: 'true' });
  const wanted = policy.replaceAll('"', '');
  const streams = all.body.streams as { name: string; topics_policy: string }[];
  expect(
    streams
      .filter(({ name }) => ['mill', 'dam', 'weir'].includes(name))
      .map((it) => it.topics_policy),
  ).toEqual([wanted, wanted, wanted]);
});

test('words that an operation checks are taken quoted as well', async () => {
  const server = await startServer();
  const { mel } = server.people;
  await server.post(mel, '/users/me/subscriptions', { subscriptions: '[{"name":"mill"}]' });
  const sent = await server.post(mel, '/messages', {
    type: '"stream"',
    to: '"mill"',
    topic: 'wheel',
    content: 'Turning',
  });
  const replies = [
    await server.post(mel, '/messages/flags', {
      messages: `[${sent.body.id}]`,
      op: '"add"',
      flag: '"starred"',
    }),
    await server.post(mel, `/messages/${sent.body.id}/reactions`, {
      emoji_name: 'tada',
      reaction_type: '"unicode_emoji"',
    }),
    await server.patch(mel, '/settings', { timezone: '"Europe/Berlin"', default_language: '"de"' }),
    await server.post(mel, '/users/me/onboarding_steps', {
      onboarding_step: '"visibility_policy_banner"',
    }),
    await server.patch(server.people.ona, '/realm', {
      default_language: '"de"',
      default_code_block_language: '"python"',
    }),
    await server.get(mel, '/messages', { anchor: '"newest"', num_before: 1, num_after: 0 }),
  ];
  expect(replies.map(({ status, body }) => [status, body.msg])).toEqual(
    replies.map(() => [200, '']),
  );
  expect(replies.at(-1)?.body.messages).toMatchObject([
    { flags: expect.arrayContaining(['starred']), reactions: [{ emoji_name: 'tada' }] },
  ]);
});
