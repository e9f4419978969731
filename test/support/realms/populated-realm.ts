import { expect } from 'vitest';
import { openApiDocument } from '../../../src/endpoints/documents/openapi.ts';
import { ENDPOINTS } from '../../../src/endpoints/index.ts';
import { hashOfKey } from '../../../src/operations/access/accounts.ts';
import { accounts } from '../../../src/operations/access/groups.ts';
import * as subscriptions from '../../../src/operations/channels/subscriptions.ts';
import type { RealmReader } from '../../../storage/transaction.ts';
import type { TestQueue } from '../client.ts';
import type { GeneratedRequest, Vocabulary } from '../requests/generated-requests.ts';
import { startServer, type TestServer } from '../start-server.ts';
import type { Person } from '../users.ts';

export const document = openApiDocument(ENDPOINTS);
export const OPERATIONS = Object.entries(document.paths)
  .flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )
  // After which everything would be refused; `deactivate-realm.test.ts` asks it in every way.
  .filter(({ path }) => path !== '/realm/deactivate');

/** A realm where some names and ids mean something. */
export async function populated() {
  const server = await startServer({ channels: ['general', 'random'] });
  const acme = await server.addRealm('acme');
  const { gus, mel, max, mia, ada, ona, bot } = server.people;
  const private_ = { subscriptions: [{ name: 'secret' }], invite_only: true };
  await server.post(mel, '/users/me/subscriptions', private_);
  // The last ones are for those who archive channels.
  for (const name of ['four', 'five', 'six', 'seven', 'eight']) {
    await server.post(ona, '/channels/create', { name, subscribers: [mel.id] });
  }
  const groupIds: number[] = [];
  for (const name of ['bakers', 'brewers', 'butchers']) {
    const group = { name, description: '', members: [mel.id], can_manage_group: 3 };
    groupIds.push((await server.post(ona, '/user_groups/create', group)).body.group_id);
    await server.post(ona, '/realm/profile_fields', { name, field_type: 1 });
    const pattern = `${name}-(?P<id>[0-9]+)`;
    await server.post(ona, '/realm/filters', { pattern, url_template: URL_TEMPLATE });
    await server.post(ona, '/channel_folders/create', { name });
    const defaults = { group_name: name, stream_names: ['general'] };
    await server.post(ona, '/default_stream_groups/create', defaults);
    await server.post(ona, '/invites/multiuse');
    const invitation = { invitee_emails: `${name}@example.com`, stream_ids: [] };
    await server.post(ona, '/invites', invitation);
  }
  await server.set('moderation_request_channel_id', 4);
  const queue = await server.register(mel);
  const messages = ['general', 'random', 'secret'].flatMap((to) =>
    ['tea', 'Lunch', ''].map((topic) => ({
      type: 'channel',
      to,
      topic,
      content: `@**all** ${to}`,
    })),
  );
  for (const message of messages) await server.post(mel, '/messages', message);
  await server.post(max, '/messages', { type: 'direct', to: [mel.id, gus.id], content: 'hi' });
  // A refused message of a bot brings a notice to its owner, once in five minutes. This one has
  // brought it already.
  await server.post(bot, '/messages', { type: 'channel', to: 'nowhere', topic: '', content: 'hi' });
  const reader: RealmReader = (server.app.realms.named('test') ?? expect.fail()).reader;
  const stranger = { ...mel, apiKey: 'f'.repeat(64) };
  const callers = [
    null,
    gus,
    mel,
    max,
    mia,
    ada,
    ona,
    ona,
    ada,
    ona,
    mel,
    bot,
    acme.admin,
    stranger,
  ];
  return { server, reader, callers, vocabulary: vocabularyOf([mel, gus, bot], queue, groupIds) };
}

function vocabularyOf(
  people: readonly [Person, Person, Person],
  { id: queueId, lastEventId }: TestQueue,
  groupIds: readonly number[],
): Vocabulary {
  const botKey = people[2].apiKey;
  const emails = people.map(({ email }) => email);
  const ids = people.map(({ id }) => id);
  const channels = ['general', 'random', 'secret'];
  const topics = ['tea', 'Lunch', '✔ tea', '', '(no topic)'];
  const emoji = { emoji_name: 'smile', emoji_code: '1f642', reaction_type: 'unicode_emoji' };
  return {
    idsMax: 8,
    words: [
      'general',
      'tea',
      'new',
      'hello @**all**',
      '1',
      '#narrow/x',
      'en',
      'https://example.com',
    ],
    named: {
      to: [...channels, 1, 2, ids, [ids[0]], emails],
      topic: topics,
      topic_name: topics,
      'POST /users/me/subscriptions subscriptions': [[{ name: 'general' }], [{ name: 'new' }]],
      'DELETE /users/me/subscriptions subscriptions': [channels, ['general']],
      principals: [ids, emails, [ids[1]]],
      queue_id: [queueId],
      last_event_id: [lastEventId],
      'POST /messages queue_id': [],
      'DELETE /streams/{stream_id} stream_id': [6, 7, 8],
      user_group_id: groupIds,
      field_id: [1, 2, 3],
      order: [[3, 1, 2]],
      data: [[{ id: 1, value: 'tea' }], [1], [2]],
      filter_id: [1, 2, 3],
      ordered_linkifier_ids: [[3, 1, 2]],
      invite_id: [1, 2, 3, 4, 5, 6],
      invitee_emails: ['new@example.com', 'one@example.com, two@example.com'],
      invite_as: [400, 600],
      stream_ids: [[], [1]],
      group_ids: [[], groupIds],
      scheduled_message_id: [1, 2, 3],
      'POST /scheduled_messages to': [1, ids],
      scheduled_delivery_timestamp: [4_102_444_800],
      draft_id: [1, 2, 3],
      draft: [DRAFT, { ...DRAFT, type: 'private', to: ids }],
      drafts: [[DRAFT], [DRAFT, { ...DRAFT, type: '', to: [] }]],
      saved_snippet_id: [1, 2, 3],
      reminder_id: [1, 2, 3],
      channel_folder_id: [1, 2, 3],
      'PATCH /channel_folders order': [
        [2, 1, 3],
        [1, 2, 3],
      ],
      folder_id: [null, 1, 2],
      group_id: [1, 2, 3],
      stream_names: [['random'], ['general']],
      command: ['/ping', '/dark', '/light'],
      sender_id: [ids[0], 1],
      title: ['Hello'],
      report_type: ['spam'],
      property: ['is_muted', 'color', 'pin_to_top'],
      value: [true, false, '#ffffff'],
      add: [[{ name: 'general' }], [{ name: 'random' }]],
      delete: [['random'], ['general']],
      'POST /user_groups/{user_group_id}/members add': [ids],
      'POST /user_groups/{user_group_id}/members delete': [ids],
      'POST /user_groups/{user_group_id}/subgroups add': [groupIds.slice(2)],
      'POST /user_groups/{user_group_id}/subgroups delete': [groupIds.slice(2)],
      api_key: [botKey],
      key_id: [hashOfKey(botKey).slice(0, 16)],
      payload: ['{"text": "hello @**all**"}', '1'],
      'POST /external/{integration} stream': ['general', 1],
      only_events: [['push*']],
      push_account_id: ['7'],
      push_public_key: [KEY],
      bouncer_public_key: [KEY],
      encrypted_push_registration: [KEY],
      op: ['add', 'remove', 'start', 'stop'],
      'POST /messages/{message_id}/typing op': ['start', 'stop'],
      'POST /messages/flags op': ['add', 'remove'],
      'POST /messages/flags/narrow op': ['add', 'remove'],
      'PATCH /users/me/subscriptions/muted_topics op': ['add', 'remove'],
      'POST /messages type': ['stream', 'channel', 'direct', 'private'],
      messages: [[1], [2, 3], [4]],
      stream_id: [1, 2, 3],
      message_id: [1, 2, 3, 10],
      flag: ['read', 'starred', 'collapsed'],
      anchor: ['newest', 'oldest', 1],
      num_before: [10],
      num_after: [10],
      narrow: [[], [['channel', 'general']], [{ operator: 'search', operand: 'hello' }]],
      operator: ['is', 'channel', 'topic', 'sender', 'search', 'dm', 'with', 'near'],
      user_id_or_email: [...ids, ...emails],
      // Rights that many other requests need are not taken away from them.
      'PATCH /realm can_create_groups': [{ new: 3, old: 3 }],
      'PATCH /realm can_mention_many_users_group': [{ new: 3 }],
      'PATCH /realm description': ['tea', 'no tea'],
      domain: ['tea.example.com', 'cake.example.com'],
      playground_id: [1, 2, 3],
      'POST /realm/playgrounds url_template': ['https://example.com/{code}'],
      'PATCH /realm/user_settings_defaults emojiset': ['text', 'google'],
      pattern: ['#(?P<id>[0-9]+)', 'T(?P<id>[0-9]+)'],
      url_template: [URL_TEMPLATE],
      fragment: ['inbox', 'recent', 'narrow/is/starred'],
      event_types: [['message'], null],
      fetch_event_types: [['message'], null],
      client_capabilities: [{ notification_settings_null: true }],
      emoji_name: [emoji.emoji_name],
      emoji_code: [emoji.emoji_code],
      reaction_type: [emoji.reaction_type],
      username: emails,
      role: [400, 300],
      keys: [['tea'], ['milk', 'tea']],
      storage: [{ tea: 'green' }, { milk: 'white', tea: 'black' }],
      'POST /users password': ['correct horse'],
      email: ['one@example.com', 'two@example.com', 'three@example.com'],
      propagate_mode: ['change_one', 'change_later', 'change_all'],
    },
  };
}

const URL_TEMPLATE = 'https://example.com/{id}';
const DRAFT = { type: 'stream', to: [1], topic: 'tea', content: 'hello' };
/** As long as a public key is. */
const KEY = Buffer.alloc(32, 7).toString('base64');

/**
 * Gives everyone their role, their address, their keys and their account back, so that they can go
 * on asking.
 */
export async function openRestoring(server: TestServer): Promise<() => Promise<void>> {
  const { rows, keys } = await server.perform((tx) => ({
    rows: Array.from(accounts(tx)),
    keys: [...tx.apiKeys.keys({})],
  }));
  return () =>
    server.perform((tx) => {
      for (const row of rows) {
        const now = tx.users.get([row.id]) ?? row;
        const restored = { ...now, role: row.role, email: row.email, isActive: true };
        tx.userEmails.remove([now.email.toLowerCase()]);
        tx.userEmails.put([row.email.toLowerCase()], { userId: row.id });
        tx.users.put([row.id], restored);
        if (!now.isActive) subscriptions.countAccount(tx, restored);
      }
      for (const [userId, hash] of keys) {
        tx.apiKeys.put([userId, hash], { createdAt: 1, origin: 'issued', madeBy: null });
        tx.keyOwners.put([hash], { userId });
      }
    });
}

/** A poll may wait as long as it likes; none of these is to. */
export function unparked(request: GeneratedRequest): GeneratedRequest {
  const [path, query] = request.path.split('?');
  if (request.method !== 'GET' || path !== '/events') return request;
  const params = new URLSearchParams(query);
  params.set('dont_block', 'true');
  return { ...request, path: `${path}?${params}` };
}
