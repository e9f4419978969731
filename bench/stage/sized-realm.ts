import {
  basicAuthorization,
  type Credentials,
  jsonReply,
  type RequestParts,
  requestText,
} from '../load/api.ts';
import { type HttpConnection, openHttp } from '../load/http.ts';
import { createPeople, type ImportedUser } from './audience.ts';
import type { Stage as Opened, Server } from './subject.ts';

export const CHANNELS = 200;
const CHANNELS_PER_USER = 5;
/** The most messages that one flag range may hold. */
export const FLAG_RANGE_MAX = 5_000;
/** Requests in flight while something is set up; measured is one at a time. */
const SET_UP_IN_FLIGHT = 32;

interface SizedRealm {
  readonly opened: Opened;
  /** How many. */
  readonly users: number;
}

/** A server whose realm has so many users, and how to call it. */
export interface Stage {
  readonly server: Server;
  readonly owner: Credentials & { readonly user_id: number };
  readonly users: readonly ImportedUser[];
  call(parts: Omit<RequestParts, 'authorization'>, as?: Credentials): Promise<Called>;
  /** Many calls, several in flight. */
  all(
    calls: readonly (() => { parts: Omit<RequestParts, 'authorization'>; as?: Credentials })[],
  ): Promise<void>;
}

export interface Called {
  readonly body: Readonly<Record<string, unknown>>;
  readonly bytes: number;
  /** Until all of the answer was there; that it is parsed, is for the generator. */
  readonly ms: number;
}

export async function openStage(
  { opened: { server, place }, users: count }: SizedRealm,
  connections: HttpConnection[],
): Promise<Stage> {
  const { owner } = place;
  const users = await createPeople(
    place,
    Array.from({ length: count }, (_, index) => ({
      full_name: `User ${index + 1}`,
      email: `user-${index + 1}@load.example.com`,
    })),
  );
  for (let index = 0; index < SET_UP_IN_FLIGHT; index++) connections.push(openHttp(server.address));
  const callOn = (
    connection: HttpConnection,
    parts: Omit<RequestParts, 'authorization'>,
    as: Credentials,
  ) =>
    new Promise<Called>((resolve, reject) => {
      const authorization = basicAuthorization(as);
      const text = requestText(server.address, { ...parts, authorization });
      const startMs = performance.now();
      connection.send(text, (raw) => {
        const ms = performance.now() - startMs;
        const reply = raw === undefined ? undefined : jsonReply(raw);
        if (raw !== undefined && reply?.status === 200) {
          resolve({ body: reply.body, bytes: raw.end - raw.start, ms });
        } else reject(new Error(`${parts.method} ${parts.path}: ${JSON.stringify(reply)}`));
      });
    });
  return {
    server,
    owner,
    users,
    call(parts, as = owner) {
      const [connection] = connections;
      if (connection === undefined) throw new Error('no connection');
      return callOn(connection, parts, as);
    },
    async all(calls) {
      let next = 0;
      await Promise.all(
        connections.map(async (connection) => {
          for (let one = calls[next++]; one !== undefined; one = calls[next++]) {
            const { parts, as } = one();
            await callOn(connection, parts, as ?? owner);
          }
        }),
      );
    },
  };
}

/** Channels that each hold their share of the users. */
export async function populate(stage: Stage): Promise<void> {
  const members = Array.from({ length: CHANNELS }, () => [stage.owner.user_id]);
  for (const [index, { user_id }] of stage.users.entries()) {
    for (let place = 0; place < CHANNELS_PER_USER; place++) {
      members[(index * CHANNELS_PER_USER + place) % CHANNELS]?.push(user_id);
    }
  }
  for (const [index, ids] of members.entries()) {
    await stage.call(subscription(`channel ${index}`, ids));
  }
}

const subscription = (name: string, userIds: readonly number[]) =>
  ({
    method: 'POST',
    path: '/users/me/subscriptions',
    params: {
      subscriptions: JSON.stringify([{ name }]),
      principals: JSON.stringify(userIds),
      send_new_subscription_messages: 'false',
    },
  }) as const;

/** Of the owner and one more; its id. */
export async function channel(stage: Stage, name: string): Promise<number> {
  const ids = [stage.owner, ...stage.users.slice(0, 1)].map(({ user_id }) => user_id);
  await stage.call(subscription(name, ids));
  const { body } = await stage.call({ method: 'GET', path: '/users/me/subscriptions' });
  const listed = body['subscriptions'] as readonly { stream_id: number; name: string }[];
  const id = listed.find((one) => one.name === name)?.stream_id;
  if (id === undefined) throw new Error('the channel is not there');
  return id;
}

/** A channel of which all messages are in one topic. */
export async function filledTopic(
  stage: Stage,
  { name, size }: { readonly name: string; readonly size: number },
) {
  const id = await channel(stage, name);
  const messages = await say(stage, id, { count: size, topic: () => 'one' });
  return { id, messages };
}

/** Sends messages of the owner; returns their ids, ascending. */
export async function say(
  stage: Stage,
  channelId: number,
  { count, topic }: { count: number; topic: (index: number) => string },
): Promise<readonly number[]> {
  await stage.all(
    Array.from({ length: count }, (_, index) => () => ({
      parts: {
        method: 'POST',
        path: '/messages',
        params: {
          type: 'channel',
          to: String(channelId),
          topic: topic(index),
          content: `message ${index}`,
        },
      },
    })),
  );
  const { body } = await stage.call({
    method: 'GET',
    path: `/messages?anchor=newest&num_before=${Math.min(count, FLAG_RANGE_MAX)}&num_after=0&narrow=${encodeURIComponent(JSON.stringify([{ operator: 'channel', operand: channelId }]))}`,
  });
  return (body['messages'] as readonly { id: number }[]).map(({ id }) => id);
}
