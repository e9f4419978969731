import { type Asker, need, type World } from '../access/world.ts';
import type { Params } from '../client.ts';
import { FROM_OWN_PAGE } from '../people/session-browser.ts';
import { makeSender } from '../webhooks/deliveries.ts';
import type { Told } from './told.ts';
import { TOLD_OF_SECOND_STEPS } from './told-second-steps.ts';

const told = (params: Params): Told => ({ request: () => ({ params }) });

const LUNCH = { type: 'channel', to: 'general', topic: 'lunch' };
const DRAFT = { type: 'stream', to: [1], topic: 'lunch', content: 'Who brings the **bread**?' };

/** Requests as most clients make them; all other operations have those of the tests of rights. */
export const TOLD: Readonly<Record<string, Told>> = {
  ...TOLD_OF_SECOND_STEPS,
  'POST /messages': told({ ...LUNCH, content: 'Soup at noon? @**Max Member** :ramen:' }),
  'GET /messages': {
    request: async (world) => {
      await sent(world, 'owner', 'Soup at noon?');
      await sent(world, 'moderator', 'With **bread**, please.');
      return {
        params: {
          anchor: 'newest',
          num_before: 2,
          num_after: 0,
          narrow: [
            { operator: 'channel', operand: 'general' },
            { operator: 'topic', operand: 'lunch' },
          ],
        },
      };
    },
  },
  'GET /messages/{message_id}': {
    request: async (world) => ({ path: `/messages/${await sent(world, 'owner', 'Soup?')}` }),
  },
  'PATCH /messages/{message_id}': {
    request: async (world, asker) => ({
      path: `/messages/${await sent(world, asker, 'Soup at noon?')}`,
      params: { content: 'Soup at half past noon?' },
    }),
  },
  'GET /messages/{message_id}/history': {
    request: async (world, asker) => {
      const id = await sent(world, asker, 'Soup at noon?');
      const { people, server } = world;
      need(await server.patch(people[asker], `/messages/${id}`, { content: 'Soup at one?' }));
      return { path: `/messages/${id}/history` };
    },
  },
  'POST /messages/render': told({ content: 'Soup **at noon**, see #**general>lunch**' }),
  'POST /messages/flags/narrow': told({
    anchor: 'first_unread',
    num_before: 0,
    num_after: 100,
    narrow: [{ operator: 'channel', operand: 'general' }],
    op: 'add',
    flag: 'read',
  }),
  'POST /scheduled_messages': {
    request: (world) => ({
      params: { ...world.scheduledParams(), topic: 'lunch', content: 'Soup is ready.' },
    }),
  },
  'POST /drafts': told({ drafts: [DRAFT] }),
  'POST /saved_snippets': told({ title: 'Where to find us', content: 'Second floor, **left**.' }),
  'POST /submessage': {
    request: async (world, asker) => ({
      params: {
        message_id: await sent(world, asker, '/poll Which tea?\nGreen\nBlack'),
        msg_type: 'widget',
        content: { type: 'vote', key: 'canned,0', vote: 1 },
      },
    }),
  },
  'POST /typing': told({ op: 'start', type: 'stream', stream_id: 1, topic: 'lunch' }),
  'POST /register': told({
    event_types: ['message', 'reaction'],
    fetch_event_types: ['message'],
    client_capabilities: { notification_settings_null: true },
  }),
  'GET /events': {
    request: async (world, asker) => {
      const person = world.people[asker];
      if (person === null) throw new Error('nobody has a queue');
      const { id } = await world.server.register(person, {
        event_types: ['message'],
        fetch_event_types: [],
      });
      await sent(world, 'owner', 'Soup at noon?');
      return { params: { queue_id: id, last_event_id: -1 } };
    },
  },
  'POST /users/me/subscriptions': told({
    subscriptions: [{ name: 'design', description: 'Shapes and **colours**' }],
  }),
  'POST /channels/create': told({
    name: 'releases',
    description: 'What goes out, and when',
    subscribers: [4, 5],
  }),
  'POST /user_groups/create': told({
    name: 'designers',
    description: 'Those who draw',
    members: [4, 5],
  }),
  'POST /users/me/status': told({ status_text: 'At lunch', emoji_name: 'ramen' }),
  'POST /bots': told({ full_name: 'Builds', short_name: 'builds' }),
  'POST /users': {
    as: 'owner',
    request: () => ({
      params: { email: 'zoe@example.com', password: 'a long sentence', full_name: 'Zoe Member' },
    }),
  },
  'POST /channel_folders/create': {
    as: 'owner',
    request: () => ({ params: { name: 'Products', description: 'One channel each' } }),
  },
  'POST /realm/profile_fields': {
    as: 'owner',
    request: () => ({ params: { name: 'Town', hint: 'Where you work', field_type: 1 } }),
  },
  'POST /realm/filters': {
    as: 'owner',
    request: () => ({
      params: { pattern: '#(?P<id>[0-9]+)', url_template: 'https://example.com/issues/{id}' },
    }),
  },
  'PATCH /realm': {
    as: 'owner',
    request: () => ({
      params: { description: 'We make soup.', message_content_edit_limit_seconds: 600 },
    }),
  },
  'POST /fetch_api_key': {
    as: 'nobody',
    request: async ({ server }) => {
      const account = { email: 'nia@example.com', password: 'a long sentence', full_name: 'Nia' };
      need(await server.post(server.people.ona, '/users', account));
      return { params: { username: account.email, password: account.password } };
    },
  },
  'POST /sessions': {
    as: 'nobody',
    request: async ({ server }) => {
      const account = { email: 'noa@example.com', password: 'a long sentence', full_name: 'Noa' };
      need(await server.post(server.people.ona, '/users', account));
      const params = { username: account.email, password: account.password };
      return { params, headers: FROM_OWN_PAGE };
    },
  },
  'GET /sessions': {
    request: async (world, asker) => {
      await world.sessionOf(world.people[asker]?.id ?? 1);
      return {};
    },
  },
  'GET /users/me/push_devices': {
    request: async (world, asker) => {
      await world.pushDeviceOf(world.people[asker]?.id ?? 1);
      return {};
    },
  },
  'DELETE /sessions/current': { as: 'nobody', request: () => ({ headers: FROM_OWN_PAGE }) },
  'POST /external/{integration}': {
    as: 'nobody',
    request: async ({ server }) => {
      const { apiKey } = await makeSender(server, server.people.mel, 'herald');
      const place = { stream: 'general', topic: 'builds' };
      const payload = '{"build": 128, "status": "passed"}';
      return { path: '/external/json', params: { api_key: apiKey, ...place, payload } };
    },
  },
};

async function sent(world: World, as: Asker, content: string): Promise<number> {
  return need(await world.server.post(world.people[as], '/messages', { ...LUNCH, content })).id;
}
