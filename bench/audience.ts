import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { basicAuthorization, type Credentials, callOnce } from './load/api.ts';
import type { ListenerPlan, Transport } from './load/listen.ts';
import type { Address } from './load/stream.ts';
import { confabCommand, type DemoUser } from './servers.ts';

export interface NewUser {
  readonly full_name: string;
  readonly email: string;
}

export interface ImportedUser extends Credentials {
  readonly user_id: number;
}

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
      params: { subscriptions, principals },
    });
  }
}

export interface Audience {
  readonly channel: string;
  readonly sender: Credentials;
  readonly listeners: (transport: Transport) => readonly ListenerPlan[];
}

/** One channel and its subscribers; the sender is not among the listeners. */
export async function createAudience(
  { address, data, owner }: { address: Address; data: string; owner: DemoUser },
  size: number,
): Promise<Audience> {
  const channel = 'load';
  const newUsers = Array.from({ length: size }, (_, index) => ({
    full_name: `Listener ${index + 1}`,
    email: `listener-${index + 1}@load.example.com`,
  }));
  const users = await importUsers(data, newUsers);
  const ids = [owner.user_id, ...users.map(({ user_id }) => user_id)];
  await subscribe(address, owner, [channel], ids);
  return {
    channel,
    sender: owner,
    listeners: (transport) => users.map((user) => ({ ...user, transport })),
  };
}

/** The floor knows nobody and asks for nothing. */
export function floorAudience(size: number, sender?: Credentials): Audience {
  const nobody = { email: 'nobody@load.example.com', api_key: 'none' };
  return {
    channel: 'load',
    sender: sender ?? nobody,
    listeners: (transport) =>
      Array.from({ length: size }, (_, index) => ({ ...nobody, user_id: index + 1, transport })),
  };
}
