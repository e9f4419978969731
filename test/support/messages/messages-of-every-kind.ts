import { expect } from 'vitest';
import type { Params } from '../client.ts';
import { upload } from '../files/uploads.ts';
import { startServer, type TestServer } from '../start-server.ts';

export const RANGE = { anchor: 'newest', num_before: 100, num_after: 0 };

/** Messages of a realm, in order; those named `secret` and `aside` are not Mel's to see. */
export const NAMES = [
  'tea',
  'image',
  'psst',
  'group',
  'lunch',
  'self',
  'empty',
  'secret',
  'aside',
  'file',
] as const;
export type Name = (typeof NAMES)[number];

/** Messages that Mel may find without naming a channel. */
export const OWN = NAMES.filter((name) => name !== 'secret' && name !== 'aside');
export const without = (...names: Name[]) => OWN.filter((name) => !names.includes(name));

/** A realm with these messages, some of which Mel has starred, read or reacted to. */
export async function started() {
  const server = await startServer({ channels: ['general', 'random'] });
  await server.set('send_channel_events_messages', false);
  const { ona, mel, max, gus } = server.people;
  const send = async (as: typeof mel, params: Params) => {
    const { body } = await server.post(as, '/messages', params);
    return body.id ?? expect.fail(JSON.stringify(body));
  };
  const inChannel = (to: string, topic: string, content: string) => ({
    type: 'channel',
    to,
    topic,
    content,
  });
  const toPeople = (to: number[], content: string) => ({ type: 'direct', to, content });
  const hidden = { subscriptions: [{ name: 'secret' }], invite_only: true };
  await server.post(ona, '/users/me/subscriptions', hidden);
  await server.post(ona, '/users/me/subscriptions', { subscriptions: [{ name: 'aside' }] });
  const url = (await upload(server, mel, { content: 'x' })).body.url;
  const ids: Record<Name, number> = {
    tea: await send(mel, inChannel('general', 'tea', 'hello **all**')),
    image: await send(max, inChannel('general', '✔ done', 'https://example.com/x.png')),
    psst: await send(max, toPeople([mel.id], 'psst')),
    group: await send(gus, toPeople([mel.id, max.id], 'we three')),
    lunch: await send(ona, inChannel('random', 'lunch', 'for @**Mel Member**')),
    self: await send(mel, toPeople([mel.id], 'note')),
    empty: await send(ona, inChannel('general', '', 'of nothing')),
    secret: await send(ona, inChannel('secret', 'tea', 'hello')),
    aside: await send(ona, inChannel('aside', 'tea', 'hello')),
    file: await send(mel, inChannel('general', 'files', `[x](${url})`)),
  };
  const flag = (messages: number[], name: string) =>
    server.post(mel, '/messages/flags', { messages, op: 'add', flag: name });
  await flag([ids.tea], 'starred');
  await flag([ids.tea, ids.image, ids.psst], 'read');
  await server.post(mel, `/messages/${ids.image}/reactions`, { emoji_name: 'smile' });
  const decide = (stream_id: number, topic: string, visibility_policy: number) =>
    server.post(mel, '/user_topics', { stream_id, topic, visibility_policy });
  await decide(1, 'tea', 3);
  await decide(1, 'files', 0);
  await decide(2, 'lunch', 1);
  return { server, ids };
}

/** Names of what Mel gets. */
export async function found(server: TestServer, ids: Record<Name, number>, params: Params) {
  const { status, body } = await server.get(server.people.mel, '/messages', {
    ...RANGE,
    ...params,
  });
  expect(status, JSON.stringify(body)).toBe(200);
  const messages = body.messages as { id: number }[];
  return messages.map(({ id }) => NAMES.find((name) => ids[name] === id));
}

/** Messages in channels of Mel. */
export const CHANNEL: Name[] = ['tea', 'image', 'empty', 'file'];
