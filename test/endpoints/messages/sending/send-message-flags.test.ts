import { expect, test } from 'vitest';
import { runCommand } from '../../../../src/admin/commands.ts';
import { startServer, type TestServer } from '../../../support/start-server.ts';
import type { Person, PersonName } from '../../../support/users.ts';

const TO_GENERAL = { type: 'channel', to: 'general', topic: 'lunch', content: 'soup?' };

/**
 * Returns each user's flags of the message that a send makes; null for a user who does not get it.
 */
async function flagsOf(
  server: TestServer,
  names: readonly PersonName[],
  send: () => Promise<{ status: number; body: unknown }>,
) {
  const queues = await Promise.all(
    names.map((name) => server.register(server.people[name], { event_types: ['message'] })),
  );
  const reply = await send();
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  const flags: Record<string, unknown> = {};
  for (const [index, queue] of queues.entries()) {
    const [event] = await queue.now();
    flags[names[index] ?? ''] = event === undefined ? null : event['flags'];
  }
  return flags;
}

test('who is mentioned by name or id is flagged, silently or not at all for others', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, gus } = server.people;
  const content = `@**Max Member** @**Mia Moderator|${server.people.mia.id}** @_**Gus Guest** @**Nobody**`;
  const flags = await flagsOf(server, ['mel', 'max', 'mia', 'gus', 'ona'], () =>
    server.post(mel, '/messages', { ...TO_GENERAL, content }),
  );
  expect(flags).toEqual({ mel: [], max: ['mentioned'], mia: ['mentioned'], gus: [], ona: [] });
  expect(gus.fullName).toBe('Gus Guest');
});

test('the flags of a message are the same for every queue of its reader and after a restart', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, max } = server.people;
  const first = await server.register(max, { event_types: ['message'] });
  const second = await server.register(max, { event_types: ['message'], apply_markdown: true });
  await server.post(mel, '/messages', { ...TO_GENERAL, content: '@**Max Member** @**all**' });
  const [live] = await first.now();
  await server.restart();
  const [resumed] = await second.now();
  expect(live?.['flags']).toEqual(['mentioned', 'stream_wildcard_mentioned', 'wildcard_mentioned']);
  expect(resumed?.['flags']).toEqual(live?.['flags']);
});

test('who is mentioned in a channel without being in it gets nothing', async () => {
  const server = await startServer();
  const { ona, mel } = server.people;
  await server.post(ona, '/users/me/subscriptions', {
    subscriptions: [{ name: 'general' }],
    principals: [mel.id],
  });
  const content = '@**Max Member**';
  const flags = await flagsOf(server, ['mel', 'max'], () =>
    server.post(mel, '/messages', { ...TO_GENERAL, content }),
  );
  expect(flags).toEqual({ mel: [], max: null });
});

test.each(['all', 'everyone', 'channel', 'stream'])(
  '@**%s** flags everyone who gets the message, the sender included',
  async (word) => {
    const server = await startServer({ channels: ['general'] });
    const flags = await flagsOf(server, ['mel', 'max'], () =>
      server.post(server.people.mel, '/messages', { ...TO_GENERAL, content: `@**${word}** hi` }),
    );
    const wildcard = ['stream_wildcard_mentioned', 'wildcard_mentioned'];
    expect(flags).toEqual({ mel: wildcard, max: wildcard });
  },
);

test('a silent wildcard and one in code flag nobody', async () => {
  const server = await startServer({ channels: ['general'] });
  const content = '@_**all** and `@**all**` and `@**Max Member**`';
  const flags = await flagsOf(server, ['max'], () =>
    server.post(server.people.mel, '/messages', { ...TO_GENERAL, content }),
  );
  expect(flags).toEqual({ max: [] });
});

test('a wildcard flags the people of a direct message', async () => {
  const server = await startServer();
  const { mel, max } = server.people;
  const flags = await flagsOf(server, ['max'], () =>
    server.post(mel, '/messages', { type: 'direct', to: [max.id], content: '@**all**' }),
  );
  expect(flags).toEqual({ max: ['stream_wildcard_mentioned', 'wildcard_mentioned'] });
});

/** `general` with exactly so many subscribers, all of whom can be mentioned at once. */
async function crowdedChannel(server: TestServer, subscribers: number) {
  const lines = (await runCommand(server.app.realms, 'users import', {
    realm: 'test',
    users: Array.from({ length: subscribers - 2 }, (_, index) => ({
      full_name: `Extra ${index}`,
      email: `extra${index}@example.com`,
    })),
  })) as { user_id: number }[];
  const { ona, mel } = server.people;
  await server.post(ona, '/users/me/subscriptions', {
    subscriptions: [{ name: 'general' }],
    principals: [ona.id, mel.id, ...lines.map(({ user_id }) => user_id)],
  });
}

test('a wildcard to 15 subscribers needs no permission', async () => {
  const server = await startServer();
  await crowdedChannel(server, 15);
  const reply = await server.post(server.people.mel, '/messages', {
    ...TO_GENERAL,
    content: '@**all**',
  });
  expect(reply.status).toBe(200);
});

test('a wildcard to more than 15 subscribers is for administrators', async () => {
  const server = await startServer();
  await crowdedChannel(server, 16);
  const { mel, ada } = server.people;
  const message = { ...TO_GENERAL, content: '@**all**' };
  expect(await server.post(mel, '/messages', message)).toMatchObject({
    status: 400,
    body: { code: 'STREAM_WILDCARD_MENTION_NOT_ALLOWED' },
  });
  expect((await server.post(ada, '/messages', message)).status).toBe(200);
  const silent = { ...TO_GENERAL, content: '@_**all**' };
  expect((await server.post(mel, '/messages', silent)).status).toBe(200);
});

const READERS = [
  { client: 'website', prefix: '', isRead: true },
  { client: 'iOS', prefix: '', isRead: true },
  { client: 'android', prefix: '', isRead: true },
  { client: 'acmeMobile', prefix: '', isRead: false },
  { client: 'acmeMobile', prefix: 'acme', isRead: true },
  { client: 'ACMEterminal', prefix: 'acme', isRead: true },
  { client: 'acme', prefix: 'acme', isRead: false },
  { client: 'PyTerm', prefix: 'acme', isRead: false },
];

test.each(['', 'acme'])(
  'a message of an app that people write in starts out read by its sender (alias prefix "%s")',
  async (aliasPrefix) => {
    const env = { CONFAB_ALIAS_PREFIX: aliasPrefix };
    const server = await startServer({ channels: ['general'], env });
    const { mel } = server.people;
    for (const { client, prefix, isRead } of READERS) {
      if (prefix !== aliasPrefix) continue;
      const flags = await flagsOf(server, ['mel', 'max'], () =>
        server.post(mel, '/messages', { ...TO_GENERAL, client }),
      );
      expect(flags, client).toEqual({ mel: isRead ? ['read'] : [], max: [] });
    }
  },
);

test('read_by_sender decides, whatever the client is called', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel } = server.people;
  const send = (as: Person, params: object) => () =>
    server.post(as, '/messages', { ...TO_GENERAL, ...params });
  const names: PersonName[] = ['mel'];
  const read = await flagsOf(server, names, send(mel, { read_by_sender: true }));
  const website = { client: 'website', read_by_sender: false };
  const unread = await flagsOf(server, names, send(mel, website));
  const content = '@**Mel Member**';
  const both = await flagsOf(server, names, send(mel, { read_by_sender: true, content }));
  expect([read, unread, both]).toEqual([
    { mel: ['read'] },
    { mel: [] },
    { mel: ['read', 'mentioned'] },
  ]);
});
