import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  basicAuthorization,
  type Credentials,
  callOnce,
  jsonReply,
  requestText,
} from '../load/api.ts';
import { type HttpPool, openPool } from '../load/http.ts';
import type { Encoding, Form, ListenerPlan, Transport } from '../load/listen.ts';
import type { Address } from '../load/stream.ts';
import type { DemoUser } from '../servers/demo.ts';
import { confabCommand } from '../servers/start.ts';

export interface NewUser {
  readonly full_name: string;
  readonly email: string;
}

export interface ImportedUser extends Credentials {
  readonly user_id: number;
}

/** A realm to which people are brought. */
export interface Place {
  readonly address: Address;
  /** The data directory; undefined where the server is elsewhere. */
  readonly data: string | undefined;
  readonly owner: DemoUser;
}

/** In the order given: by the command line where the data is at hand, else as bots, which need no password hashed. */
export const createPeople = (
  place: Place,
  users: readonly NewUser[],
): Promise<readonly ImportedUser[]> =>
  place.data === undefined ? createBots(place, users) : importUsers(place.data, users);

/** Creates users through the command line of the running server, in the order given. */
export async function importUsers(
  data: string,
  users: readonly NewUser[],
): Promise<readonly ImportedUser[]> {
  const file = join(data, 'bench-users.jsonl');
  writeFileSync(file, users.map((user) => `${JSON.stringify(user)}\n`).join(''));
  const lines = await confabCommand(data, ['users', 'import', '--realm', 'demo', '--file', file]);
  const imported = lines as readonly unknown[] as readonly ImportedUser[];
  const byEmail = new Map(imported.map((user) => [user.email, user]));
  return users.map(({ email }) => {
    const user = byEmail.get(email);
    if (user === undefined) throw new Error(`the command line did not create ${email}`);
    return user;
  });
}

const CREATIONS_IN_FLIGHT = 16;

async function createBots(
  { address, owner }: Place,
  users: readonly NewUser[],
): Promise<readonly ImportedUser[]> {
  const pool = openPool(address, CREATIONS_IN_FLIGHT);
  // A server elsewhere may have those of a run before: names say which run they are of.
  const run = Date.now().toString(36);
  try {
    const keys = await Promise.all(
      users.map((user, index) =>
        createBot(pool, { address, owner, user, name: `${run}-${index}` }),
      ),
    );
    const emails = await emailsOfBots({ address, owner });
    return keys.map(({ user_id, api_key }) => {
      const email = emails.get(user_id);
      if (email === undefined) throw new Error(`the bot ${user_id} is not listed`);
      return { user_id, api_key, email };
    });
  } finally {
    pool.close();
  }
}

async function emailsOfBots({ address, owner }: Pick<Place, 'address' | 'owner'>) {
  const authorization = basicAuthorization(owner);
  const { members } = await callOnce(address, { method: 'GET', path: '/users', authorization });
  // As the interface has it: each member with an id and an address.
  const listed = members as readonly { readonly user_id: number; readonly email: string }[];
  return new Map(listed.map(({ user_id, email }) => [user_id, email]));
}

interface NewBot {
  readonly address: Address;
  readonly owner: DemoUser;
  readonly user: NewUser;
  readonly name: string;
}

function createBot(
  pool: HttpPool,
  { address, owner, user, name }: NewBot,
): Promise<Omit<ImportedUser, 'email'>> {
  const request = requestText(address, {
    method: 'POST',
    path: '/bots',
    authorization: basicAuthorization(owner),
    params: { full_name: `${user.full_name} ${name}`, short_name: `load-${name}`, bot_type: '1' },
  });
  return new Promise((resolve, reject) => {
    pool.send(request, (raw) => {
      const reply = raw && jsonReply(raw);
      if (reply?.status !== 200) return reject(new Error(`POST /bots: ${JSON.stringify(reply)}`));
      const { user_id, api_key } = reply.body;
      resolve({ user_id: Number(user_id), api_key: String(api_key) });
    });
  });
}

// One request names this many users at most, to stay far below the limit of a body.
const PRINCIPALS_MAX = 500;

/** Creates the channels where they are missing, and subscribes the users to all of them. */
export async function subscribe(
  address: Address,
  owner: DemoUser,
  channels: readonly string[],
  userIds: readonly number[],
): Promise<void> {
  const authorization = basicAuthorization(owner);
  const subscriptions = JSON.stringify(channels.map((name) => ({ name })));
  for (let start = 0; start < userIds.length; start += PRINCIPALS_MAX) {
    const principals = JSON.stringify(userIds.slice(start, start + PRINCIPALS_MAX));
    await callOnce(address, {
      method: 'POST',
      path: '/users/me/subscriptions',
      authorization,
      params: { subscriptions, principals, send_new_subscription_messages: 'false' },
    });
  }
}

/** Who listens, and how. */
export interface Shape {
  readonly size: number;
  readonly encoding?: Encoding;
  /** The part of all that wants another form than the raw one: by turns HTML with and without gravatars. */
  readonly otherForms?: number;
  /** The part of all that each message mentions, as members of a group. */
  readonly mentioned?: number;
}

/** Half of them by socket, half by long-poll. */
export type Transports = Transport | 'mixed';

export interface Audience {
  readonly channel: string;
  readonly sender: Credentials;
  /** The group that each message mentions. */
  readonly mention: string | undefined;
  readonly listeners: (transport: Transports) => readonly ListenerPlan[];
}

/** One channel and its subscribers; the sender is not among the listeners. */
export async function createAudience(place: Place, shape: Shape): Promise<Audience> {
  const channel = place.data === undefined ? `load ${Date.now().toString(36)}` : 'load';
  return await gather(place, { shape, channel, users: await createListeners(place, shape.size) });
}

export const createListeners = (place: Place, count: number): Promise<readonly ImportedUser[]> =>
  createPeople(
    place,
    Array.from({ length: count }, (_, index) => ({
      full_name: `Listener ${index + 1}`,
      email: `listener-${index + 1}@load.example.com`,
    })),
  );

interface Gathered {
  readonly shape: Shape;
  /** Not there yet. */
  readonly channel: string;
  /** As many as the shape has. */
  readonly users: readonly ImportedUser[];
}

/** A channel for people who are there already. */
export async function gather(place: Place, { shape, channel, users }: Gathered): Promise<Audience> {
  const { address, owner } = place;
  const ids = [owner.user_id, ...users.map(({ user_id }) => user_id)];
  await subscribe(address, owner, [channel], ids);
  const isMarked = everyShare(shape.mentioned ?? 0);
  const marked = users.filter((_, index) => isMarked(index));
  const mention = marked.length === 0 ? undefined : `${channel} mentioned`;
  if (mention !== undefined) await createGroup(place, mention, marked);
  return {
    channel,
    sender: owner,
    mention,
    listeners: (transport) =>
      users.map((user, index) => ({
        ...listenerOf(user, transport, { index, shape }),
        isMarked: isMarked(index),
      })),
  };
}

/** The floor knows nobody and asks for nothing. */
export function floorAudience({ size }: Shape, sender?: Credentials): Audience {
  const nobody = { email: 'nobody@load.example.com', api_key: 'none' };
  return {
    channel: 'load',
    sender: sender ?? nobody,
    mention: undefined,
    listeners: (transport) =>
      Array.from({ length: size }, (_, index) =>
        listenerOf({ ...nobody, user_id: index + 1 }, transport, { index, shape: { size } }),
      ),
  };
}

function listenerOf(
  user: ImportedUser,
  transport: Transports,
  { index, shape }: { readonly index: number; readonly shape: Shape },
): ListenerPlan {
  const own = transport === 'mixed' ? MIXED[index % MIXED.length] : transport;
  const hasOther = everyShare(shape.otherForms ?? 0);
  const nth = Math.floor(index * (shape.otherForms ?? 0));
  const form = hasOther(index) ? OTHER_FORMS[nth % OTHER_FORMS.length] : undefined;
  return {
    ...user,
    transport: own ?? 'socket',
    form: form ?? 'raw',
    encoding: shape.encoding ?? 'json',
  };
}

const MIXED: readonly Transport[] = ['socket', 'poll'];
const OTHER_FORMS: readonly Form[] = ['html', 'html without gravatars'];

/** Whether somebody is of the share: spread evenly over all. */
const everyShare =
  (share: number) =>
  (index: number): boolean =>
    Math.floor((index + 1) * share) > Math.floor(index * share);

async function createGroup(
  { address, owner }: Place,
  name: string,
  members: readonly ImportedUser[],
): Promise<void> {
  await callOnce(address, {
    method: 'POST',
    path: '/user_groups/create',
    authorization: basicAuthorization(owner),
    params: {
      name,
      description: 'those whom the load mentions',
      members: JSON.stringify(members.map(({ user_id }) => user_id)),
    },
  });
}
