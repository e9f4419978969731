import fc from 'fast-check';
import { expect, test } from 'vitest';
import { systemGroupId } from '../../../src/domain/wire/system-groups.ts';
import type { Act } from '../../support/acts/acts.ts';
import { ACTS_ON_ACCOUNTS } from '../../support/acts/on-accounts.ts';
import { ACTS_ON_CHANNELS } from '../../support/acts/on-channels.ts';
import { ACTS_ON_ORGANIZATION } from '../../support/acts/on-organization.ts';
import { MODERN, withoutPast } from '../../support/applying/follow.ts';
import { type KeptState, keepState } from '../../support/applying/kept-state.ts';
import { comparable } from '../../support/applying/snapshot.ts';
import type { Params, Reply, TestQueue } from '../../support/client.ts';
import { runs } from '../../support/runs.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';
import type { Person } from '../../support/users.ts';
import { NAMES } from '../../support/users.ts';

/**
 * Administrators change an organization at random: accounts, bots, groups, channels, settings,
 * profile fields and the rest. People of every role listen, with clients of several ages, and each
 * must arrive at what a fresh register gives.
 */

const CAPABILITIES = MODERN.client_capabilities;
type Capability = keyof typeof CAPABILITIES;
const without = (...names: readonly Capability[]) =>
  Object.fromEntries(
    Object.entries(CAPABILITIES).filter(([name]) => !names.includes(name as Capability)),
  );

/** How clients of several ages register. */
const FORMS: Readonly<Record<string, Params>> = {
  modern: { client_capabilities: CAPABILITIES, slim_presence: true },
  'without placeholders of people': { client_capabilities: without('include_deactivated_groups') },
  'with placeholders of people': { client_capabilities: without('user_list_incomplete') },
  'without archived channels': { client_capabilities: without('archived_channels') },
  'without an object of settings': { client_capabilities: without('user_settings_object') },
  'without url templates': { client_capabilities: without('linkifier_url_template') },
  'of old': { client_capabilities: { notification_settings_null: true } },
};

const act = fc.oneof(...ACTS_ON_ORGANIZATION, ...ACTS_ON_ACCOUNTS, ...ACTS_ON_CHANNELS);

test('4: snapshots stay exact for everybody, however an organization is changed', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        hidesPeople: fc.boolean(),
        before: fc.array(act, { minLength: 5, maxLength: 15 }),
        after: fc.array(act, { minLength: 15, maxLength: 40 }),
      }),
      async ({ hidesPeople, before, after }) => {
        const server = await startServer({ channels: ['one'] });
        await prepare(server, { hidesPeople });
        for (const next of before) await take(next, server);
        const followed = await Promise.all(
          NAMES.flatMap((name) =>
            Object.keys(FORMS).map((form) => follow(server, server.people[name], form)),
          ),
        );
        for (const next of after) await take(next, server);
        // A commit that an act caused is over as well.
        await server.perform(() => undefined);
        for (const each of followed) if (each !== undefined) await expectExact(server, each);
        expect(server.bugs).toEqual([]);
        await server.stop();
      },
    ),
    { numRuns: runs({ few: 1, all: 4 }), endOnFailure: true },
  );
});

async function prepare(server: TestServer, { hidesPeople }: { hidesPeople: boolean }) {
  const { ona, mel, gus } = server.people;
  if (hidesPeople) await server.set('can_access_all_users_group', systemGroupId('role:members'));
  for (const name of ['cooks', 'waiters']) {
    await server.post(ona, '/user_groups/create', { name, description: '', members: [mel.id] });
  }
  await server.post(ona, '/channel_folders/create', { name: 'Work' });
  for (const [name, invite_only] of [
    ['two', false],
    ['three', true],
  ] as const) {
    await server.post(ona, '/users/me/subscriptions', {
      subscriptions: [{ name }],
      principals: [ona.id, mel.id, gus.id],
      invite_only,
    });
  }
}

async function take(next: Act<Reply | undefined>, server: TestServer) {
  const reply = await next(server);
  if (reply !== undefined)
    expect([200, 400, 401, 404], JSON.stringify(reply)).toContain(reply.status);
}

interface Followed {
  readonly queue: TestQueue;
  readonly state: KeptState;
  readonly form: string;
}

const optionsOf = (form: string): Params => ({
  include_subscribers: 'true',
  client_gravatar: false,
  ...FORMS[form],
});

/** Returns undefined for an account that has been deactivated. */
async function follow(server: TestServer, as: Person, form: string): Promise<Followed | undefined> {
  const { status: code } = await server.get(as, '/users/me');
  if (code !== 200) return undefined;
  const queue = await server.register(as, optionsOf(form));
  return { queue, state: keepState(queue.state), form };
}

async function expectExact(server: TestServer, { queue, state, form }: Followed) {
  const { status: code, body } = await queue.poll({ dont_block: true });
  if (code !== 200) {
    // The user is gone, has another role, or is a guest who now sees others.
    expect(['UNAUTHORIZED', 'BAD_EVENT_QUEUE_ID']).toContain(body.code);
    return;
  }
  for (let events = await queue.now(); events.length > 0; events = await queue.now()) {
    for (const event of events) state.apply(event);
  }
  const fresh = await server.register(queue.as, optionsOf(form));
  const whose = `as ${queue.as.fullName} sees it, ${form}`;
  const seen = form === 'without archived channels' || form === 'of old' ? withoutPast : comparable;
  expect(seen(state.snapshot()), whose).toEqual(seen(fresh.state));
}
