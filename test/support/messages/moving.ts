import type { WireEvent } from '../client.ts';
import { startServer, type TestServer } from '../start-server.ts';
import type { Person, PersonName } from '../users.ts';
import { sendMany } from './many-messages.ts';

/** Tests of moved messages use two channels, and one topic unless they say otherwise. */

export const GENERAL = 1;
export const RANDOM = 2;

export const startTwo = () => startServer({ channels: ['general', 'random'] });

export async function say(
  server: TestServer,
  as: Person,
  { to = 'general', topic = 'lunch', content = 'hello' } = {},
) {
  const message = { type: 'channel', to, topic, content };
  const { body } = await server.post(as, '/messages', message);
  if (body.result !== 'success') throw new Error(body.msg);
  return body.id as number;
}

export const sayOften = (server: TestServer, as: Person, count: number) =>
  sendMany(server, { as, count, topic: 'lunch' });

export const quiet = { send_notification_to_new_thread: false };

export const places = async (server: TestServer, as: Person, narrow: unknown) => {
  const { body } = await server.get(as, '/messages', {
    anchor: 'newest',
    num_before: 100,
    num_after: 0,
    narrow,
    apply_markdown: false,
    allow_empty_topic_name: true,
  });
  return body.messages.map(({ id, subject }: { id: number; subject: string }) => [id, subject]);
};

export const contents = async (server: TestServer, narrow: unknown) => {
  const { body } = await server.get(server.people.ona, '/messages', {
    anchor: 'newest',
    num_before: 100,
    num_after: 0,
    narrow,
    apply_markdown: false,
  });
  return body.messages.map(({ content }: { content: string }) => content);
};

export const leave = (server: TestServer, as: Person, name: string) =>
  server.delete(as, '/users/me/subscriptions', { subscriptions: [name] });

export const flagsOf = async (server: TestServer, as: Person, id: number) =>
  (await server.get(as, `/messages/${id}`)).body.message?.flags;

export const updates = (events: readonly WireEvent[]) =>
  events.filter(({ type }) => type === 'update_message');

export async function privateChannel(
  server: TestServer,
  name: string,
  people: PersonName[],
  options = {},
) {
  const { ona } = server.people;
  await server.post(ona, '/users/me/subscriptions', {
    subscriptions: [{ name }],
    invite_only: true,
    principals: [ona.id, ...people.map((person) => server.people[person].id)],
    ...options,
  });
  const { body } = await server.get(ona, '/users/me/subscriptions');
  const channels = body.subscriptions as { name: string; stream_id: number }[];
  return channels.find((channel) => channel.name === name)?.stream_id ?? 0;
}
