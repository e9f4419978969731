import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runCommand } from '../../../src/admin/commands.ts';
import { ARCHIVED } from '../../../src/archives/tables.ts';
import { MODERN } from '../../support/applying/follow.ts';
import { comparable, type Snapshot } from '../../support/applying/snapshot.ts';
import { type Client, openClient } from '../../support/client.ts';
import { type Contents, contentsOf, linesOf } from '../../support/files/archives.ts';
import { download } from '../../support/files/uploads.ts';
import { type FullRealm, fillRealm } from '../../support/realms/full-realm.ts';
import { temporaryFolder } from '../../support/scratch.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';
import { PEOPLE, type Person } from '../../support/users.ts';

/** Narrows that together ask all lists of messages. */
const NARROWS = [
  [],
  [{ operator: 'channel', operand: 'general' }],
  [{ operator: 'channel', operand: 'secret' }],
  [{ operator: 'channel', operand: 'council' }],
  [
    { operator: 'channel', operand: 'open' },
    { operator: 'topic', operand: 'right place' },
  ],
  [{ operator: 'sender', operand: 'mel@example.com' }],
  [{ operator: 'dm', operand: 'max@example.com' }],
  [{ operator: 'dm-including', operand: 'ada@example.com' }],
  [{ operator: 'is', operand: 'dm' }],
  [{ operator: 'is', operand: 'starred' }],
  [{ operator: 'is', operand: 'mentioned' }],
  [{ operator: 'is', operand: 'alerted' }],
  [{ operator: 'is', operand: 'unread' }],
  [{ operator: 'is', operand: 'followed' }],
  [{ operator: 'has', operand: 'reaction' }],
  [{ operator: 'has', operand: 'attachment' }],
  [{ operator: 'has', operand: 'image' }],
  [{ operator: 'has', operand: 'link' }],
  [{ operator: 'search', operand: 'words' }],
  [{ operator: 'search', operand: 'テキスト' }],
  [{ operator: 'search', operand: 'lunch', negated: true }],
];

const PATHS = [
  '/users?include_custom_profile_fields=true',
  '/users/me',
  '/streams?include_all=true',
  '/users/me/subscriptions?include_subscribers=true',
  '/user_groups?include_deactivated_groups=true',
  '/attachments',
  '/drafts',
  '/saved_snippets',
  '/scheduled_messages',
  '/reminders',
  '/navigation_views',
  '/users/me/alert_words',
  '/realm/emoji',
  '/realm/linkifiers',
  '/realm/profile_fields',
  '/realm/domains',
  '/realm/presence',
  '/channel_folders',
  '/invites',
  '/bots',
  '/bot_storage',
  '/export/realm/consents',
];

interface ReadRealm {
  readonly server: TestServer;
  readonly client: Client;
  readonly full: FullRealm;
  readonly host: string;
  /** The number that paths have in place of the realm's, if another server made them. */
  readonly realmId: number;
}

/** Everything that somebody may ask of a realm, by what was asked. */
async function allReads({ server, client, full, host, realmId }: ReadRealm, as: Person) {
  const reads: Record<string, unknown> = {};
  const { state } = await client.register(as, { ...MODERN, fetch_event_types: undefined });
  reads['register'] = comparable(state as Snapshot);
  for (const narrow of NARROWS) {
    const page = { anchor: 'oldest', num_before: 0, num_after: 100, narrow };
    const { body } = await client.get(as, '/messages', { ...page, allow_empty_topic_name: true });
    reads[`messages ${JSON.stringify(narrow)}`] = body;
  }
  for (const path of PATHS) reads[path] = (await client.get(as, path)).body;
  for (const [name, id] of Object.entries(full.messages)) {
    reads[`message ${name}`] = (await client.get(as, `/messages/${id}`)).body;
    reads[`history ${name}`] = (await client.get(as, `/messages/${id}/history`)).body;
    reads[`receipts ${name}`] = (await client.get(as, `/messages/${id}/read_receipts`)).body;
  }
  for (const [name, id] of Object.entries(full.channels)) {
    reads[`topics ${name}`] = (await client.get(as, `/users/me/${id}/topics`)).body;
    reads[`members ${name}`] = (await client.get(as, `/streams/${id}/members`)).body;
  }
  const images = JSON.stringify(reads).match(/\/user_(?:avatars|uploads\/thumbnail)\/[^"\\?]+/g);
  for (const path of new Set([...full.files, ...(images ?? [])])) {
    const { status, bytes, headers } = await download(server, path, { as, host });
    const named = path.replace(`/user_avatars/${realmId}/`, '/user_avatars/1/');
    reads[`file ${named}`] = [status, headers['content-type'], bytes.toString('base64')];
  }
  return neutral(reads, { server, host, realmId });
}

/** Replaces what must differ between two servers: the host, the realm's number, the moments. */
function neutral(reads: object, { server, host, realmId }: Omit<ReadRealm, 'client' | 'full'>) {
  const text = JSON.stringify(reads)
    .replaceAll(`${host}:${server.app.port}`, 'HOST')
    .replaceAll(host, 'HOST')
    // Addresses of bots are as they were made: bots log in with them.
    .replaceAll('test.localhost', 'HOST')
    .replaceAll(/"(sender_realm_str)":"(?:test|copy)"/g, '"$1":"NAME"')
    .replaceAll(`/user_avatars/${realmId}/`, '/user_avatars/1/')
    .replaceAll(/"(server_timestamp|server_generation)":[\d.]+/g, '"$1":0');
  return JSON.parse(text) as Record<string, unknown>;
}

async function exported(server: TestServer, kind: string): Promise<string> {
  const file = join(temporaryFolder(), 'realm.zip');
  await runCommand(server.app.realms, 'realm export', { realm: 'test', file, kind });
  return file;
}

/** Starts another server, and imports the realm there under another name. */
async function importedElsewhere(from: TestServer, file: string) {
  const server = await startServer();
  await server.leap(from.clock.now() - server.clock.now());
  const [line] = await runCommand(server.app.realms, 'realm import', { file, name: 'copy' });
  expect(line).toEqual({ realm_id: 2, realm: 'copy' });
  const host = 'copy.localhost';
  const client = openClient(() => server.app.port, host);
  return { server, client, host, realmId: 2 };
}

test('an export of everything, imported by another server, is the same realm to everybody in it', async () => {
  const server = await startServer({ channels: ['general'] });
  const full = await fillRealm(server);
  const here = { server, client: server, full, host: 'test.localhost', realmId: 1 };
  const copy = await importedElsewhere(server, await exported(server, 'whole'));
  const there = { ...copy, full };
  for (const { name } of PEOPLE) {
    const person = server.people[name];
    if (name === 'mia') continue; // deactivated
    const [before, after] = [await allReads(here, person), await allReads(there, person)];
    expect(Object.keys(after)).toEqual(Object.keys(before));
    for (const [request, read] of Object.entries(before)) {
      expect([name, request, after[request]]).toEqual([name, request, read]);
    }
  }
  expect([...server.bugs, ...copy.server.bugs]).toEqual([]);
});

test('the realm of these tests leaves rows in all but a few of the tables that archives have', async () => {
  const server = await startServer({ channels: ['general'] });
  await fillRealm(server);
  const contents = await contentsOf(await exported(server, 'whole'));
  const empty = ARCHIVED.map(({ fileName }) => fileName).filter(
    (name) => linesOf(contents, name).length === 0,
  );
  // These tables have rows of people of other services and directories, of a mail to be confirmed,
  // of a setting that names a group, of messages that expire, and of devices.
  expect(empty).toEqual([
    'placeholders',
    'identities',
    'identity_owners',
    'scim_tokens',
    'scim_ids',
    'scim_owners',
    'email_changes',
    'group_uses',
    'retention_marks',
    'push_devices',
    'push_tokens',
    'push_holders',
    'webhook_secrets',
  ]);
});

const keysOf = (contents: Contents, table: string) =>
  linesOf(contents, table).map(({ key }) => key as number[]);

test('an export of what is public has nothing of anybody but what everybody may see', async () => {
  const server = await startServer({ channels: ['general'] });
  const { messages, channels } = await fillRealm(server);
  const { mel } = server.people;
  await server.patch(mel, '/settings', { allow_private_data_export: true });
  const contents = await contentsOf(await exported(server, 'public'));
  const ids = keysOf(contents, 'messages').map(([id]) => id);
  const of = (...names: string[]) => names.map((name) => messages[name]);
  expect(ids).toEqual(
    expect.arrayContaining(of('plain', 'mention', 'wildcard', 'image', 'moved', 'attic', 'poll')),
  );
  for (const id of of('secret', 'reply', 'before', 'after', 'direct', 'group', 'other')) {
    expect(ids).not.toContain(id);
  }
  expect(keysOf(contents, 'channels').map(([id]) => id)).toEqual(
    ['general', 'open', 'attic'].map((name) => channels[name]),
  );
  for (const table of PRIVATE) expect([table, linesOf(contents, table)]).toEqual([table, []]);
  const text = [...contents.values()].map((bytes) => bytes.toString('latin1')).join();
  for (const word of [
    'council',
    'quietly',
    'heard of',
    'between two',
    'unfinished',
    'Secret',
    'of secret',
  ]) {
    expect([word, text.includes(word)]).toEqual([word, false]);
  }
  expect(text).not.toContain('$argon2');
});

/** Tables of things that concern only their owner. */
const PRIVATE = [
  'alert_words',
  'conversations',
  'direct_messages',
  'drafts',
  'saved_snippets',
  'scheduled_messages',
  'reminders',
  'user_topics',
  'muted_users',
  'bot_storage',
  'presences',
  'api_keys',
  'key_owners',
  'secrets',
  'invitations',
  'push_tokens',
];

/** Addresses of images of other sites are signed by the realm that they are in. */
const unsigned = (read: unknown) =>
  JSON.stringify(read).replaceAll(/external_content\/[0-9a-f]{64}/g, 'external_content');

test.each([
  { policy: 'all', kind: 'public', words: true, moves: true },
  { policy: 'moves', kind: 'public', words: false, moves: true },
  { policy: 'moves', kind: 'standard', words: false, moves: true },
  { policy: 'none', kind: 'standard', words: false, moves: false },
  { policy: 'none', kind: 'whole', words: true, moves: true },
])(
  'a $kind export of a realm that shows $policy of the changes of messages has no more of them',
  async ({ policy, kind, words, moves }) => {
    const server = await startServer({ channels: ['general'] });
    const { mel } = server.people;
    const message = { type: 'stream', to: 'general', topic: 'before', content: 'regretted' };
    const { body } = await server.post(mel, '/messages', message);
    const change = { topic: 'after', content: 'better' };
    expect((await server.patch(mel, `/messages/${body.id}`, change)).status).toBe(200);
    await server.set('message_edit_history_visibility_policy', policy);
    const file = await exported(server, kind);
    const contents = await contentsOf(file);
    const text = [...contents.values()].map((bytes) => bytes.toString('latin1')).join();
    expect(text.includes('regretted')).toBe(words);
    const edits = linesOf(contents, 'message_edits').map(({ row }) => row);
    const before = { topic: 'before', ...(words && WORDS) };
    expect(edits).toMatchObject(moves ? [{ userId: mel.id, before }] : []);
    await importedElsewhere(server, file);
  },
);

const WORDS = { content: 'regretted', renderedContent: '<p>regretted</p>' };

test('an address that nobody may see is not in the archives of administrators', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, max, ada } = server.people;
  for (const person of [mel, max]) {
    await server.patch(person, '/settings', { email_address_visibility: 4 });
  }
  await server.patch(ada, '/settings', { email_address_visibility: 3 });
  await server.patch(max, '/settings', { allow_private_data_export: true });
  const file = await exported(server, 'standard');
  const contents = await contentsOf(file);
  const emails = linesOf(contents, 'user_emails');
  const hidden = `user${mel.id}@hidden.invalid`;
  expect(emails).toContainEqual({ key: [hidden], row: { userId: mel.id } });
  for (const person of [max, ada]) {
    expect(emails).toContainEqual({ key: [person.email], row: { userId: person.id } });
  }
  const text = [...contents.values()].map((bytes) => bytes.toString('latin1'));
  expect(text.join()).not.toContain(mel.email);
  expect(text.join()).toContain(max.email);
  const copy = await importedElsewhere(server, file);
  const people = await runCommand(copy.server.app.realms, 'user list', { realm: 'copy' });
  expect(people).toContainEqual(expect.objectContaining({ user_id: mel.id, email: hidden }));
});

test('a standard export has what those who agreed may see, and nothing more of the others', async () => {
  const server = await startServer({ channels: ['general'] });
  const full = await fillRealm(server);
  const { messages } = full;
  const { mel, ada } = server.people;
  await server.patch(mel, '/settings', { allow_private_data_export: true });
  const file = await exported(server, 'standard');
  const contents = await contentsOf(file);
  const ids = keysOf(contents, 'messages').map(([id]) => id);
  for (const name of ['plain', 'secret', 'reply', 'after', 'direct', 'group']) {
    expect([name, ids.includes(messages[name])]).toEqual([name, true]);
  }
  for (const name of ['before', 'other']) {
    expect([name, ids.includes(messages[name])]).toEqual([name, false]);
  }
  for (const table of ['alert_words', 'drafts', 'reminders', 'saved_snippets', 'user_topics']) {
    const owners = new Set(keysOf(contents, table).map(([id]) => id));
    expect([table, [...owners]]).toEqual([table, [mel.id]]);
  }
  for (const { row } of linesOf(contents, 'users')) expect(row.passwordHash).toBeNull();
  for (const table of ['api_keys', 'secrets', 'invitations', 'email_changes', 'push_tokens']) {
    expect([table, contents.has(`tables/${table}.jsonl`)]).toEqual([table, false]);
  }

  const services = linesOf(contents, 'bot_services').map(({ row }) => row);
  expect(services.length).toBeGreaterThan(0);
  for (const { token, baseUrl } of services) {
    expect([token, new URL(baseUrl).pathname, new URL(baseUrl).search]).toEqual(['', '/', '']);
  }
  // A user who agreed has the same realm elsewhere, with a new key.
  const copy = await importedElsewhere(server, file);
  const [line] = await runCommand(copy.server.app.realms, 'key create', {
    realm: 'copy',
    email: mel.email,
  });
  const { api_key: apiKey } = line as { api_key: string };
  const here = { server, client: server, full, host: 'test.localhost', realmId: 1 };
  const [before, after] = [
    await allReads(here, mel),
    await allReads({ ...copy, full }, { ...mel, apiKey }),
  ];
  const differing = Object.keys(before).filter(
    (request) => unsigned(before[request]) !== unsigned(after[request]),
  );
  expect(differing).toEqual([
    // These name the space that all files take, the first message of a private channel of which
    // only a part is there, and who is present.
    'register',
    '/streams?include_all=true',
    '/users/me/subscriptions?include_subscribers=true',
    '/attachments',
    '/realm/presence',
  ]);

  // The others can log in there as well, and what is new is unread to them.
  const [key] = await runCommand(copy.server.app.realms, 'key create', {
    realm: 'copy',
    email: ada.email,
  });
  const other = { ...ada, apiKey: (key as { api_key: string }).api_key };
  const { state } = await copy.client.register(other);
  expect(state.unread_msgs.count).toBe(0);
  const send = { type: 'stream', to: 'general', topic: 'new', content: 'hello from the copy' };
  const sent = await copy.client.post({ ...mel, apiKey }, '/messages', send);
  expect(sent.status).toBe(200);
  expect(sent.body.id).toBeGreaterThan(Math.max(...(ids as number[])));
  const again = await copy.client.register(other);
  expect(again.state.unread_msgs.count).toBe(1);
  expect([...server.bugs, ...copy.server.bugs]).toEqual([]);
});
