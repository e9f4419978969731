import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { systemClock } from '../../actors/clock.ts';
import { runCommand } from '../../src/admin/commands.ts';
import { scheduleSyncs } from '../../src/admin/directories/schedule.ts';
import {
  caughtUp,
  makeTestRealm,
  openTestCluster,
  type TestCluster,
  type TestNode,
} from '../support/cluster/nodes.ts';
import { type Directory, speakScim } from '../support/people/directory.ts';
import { ADMIN, BASE, isSlapdMissing, startDirectory } from '../support/people/slapd.ts';
import { temporaryFolder } from '../support/scratch.ts';
import type { Person } from '../support/users.ts';

/** Three nodes with a realm, and the directories that write it. */
async function started(env: Readonly<Record<string, string>>) {
  const cluster = openTestCluster({ env });
  const nodes = await Promise.all(['a', 'b', 'c'].map((name) => cluster.start(name)));
  const people = await makeTestRealm(cluster);
  const owner = await cluster.owner();
  const [here = owner, there = owner] = nodes.filter((node) => node !== owner);
  const [made] = await runCommand(owner.app.realms, 'scim token', { realm: 'test' });
  await caughtUp(cluster);
  const { token } = made as { token: string };
  const at = ({ app }: TestNode) => speakScim(() => app.port, { token }).ask;
  return { cluster, people, owner, here, there, at };
}

const PATCH = ['urn:ietf:params:scim:api:messages:2.0:PatchOp'];
const off = { schemas: PATCH, Operations: [{ op: 'Replace', path: 'active', value: 'False' }] };

test.skipIf(isSlapdMissing)(
  'directories write at any node, are followed by one, and lose nothing with the owner',
  async () => {
    const office = await startDirectory();
    office.add(person('zoe'), person('abe'));
    const { cluster, people, owner, here, there, at } = await started({
      CONFAB_SIGN_IN: entryOf(office.url),
    });
    const opened = await owner.patch(people.ona, '/realm', { invite_required: false });
    expect(opened.body).toMatchObject({ result: 'success' });
    for (const username of ['zoe', 'abe']) {
      const login = await here.post(null, '/fetch_api_key', { username, password: PASSWORD });
      expect(login.body).toMatchObject({ result: 'success', api_key: expect.any(String) });
    }

    // A deactivation at a node that does not write the realm ends what people have at all nodes.
    const queue = await there.register(people.max, { event_types: ['message'] });
    const changed = await at(here)('PATCH', `/Users/${people.max.id}`, off);
    expect(changed).toMatchObject({ status: 200, body: { active: false } });
    await refusedEverywhere(cluster, people.max);
    expect((await there.queue(people.max, queue.id, queue.lastEventId).poll()).status).toBe(401);

    // The owner is killed while accounts are made at another node.
    const making = madeAt(at(here), 12, () => owner.kill());
    const acknowledged = await making;
    const next = await cluster.owner();
    expect(next.name).not.toBe(owner.name);
    await caughtUp(cluster);
    expect(acknowledged.length).toBeGreaterThanOrEqual(12);
    for (const node of [here, there]) {
      for (const { id, userName, version } of acknowledged) {
        const { body } = await at(node)('GET', `/Users/${id}`);
        expect([body.userName, body.meta?.version]).toEqual([userName, version]);
      }
      expect((await at(node)('GET', `/Users/${people.max.id}`)).body.active).toBe(false);
    }

    // The next owner goes on with the sync, once.
    office.remove('zoe');
    const synced = await syncedBy(cluster);
    expect(synced).toMatchObject([{ by: next.name, state: 'done', deactivated: 1 }]);
    expect(await syncedBy(cluster)).toMatchObject([{ by: next.name, deactivated: 0 }]);
    await caughtUp(cluster);
    for (const node of [here, there]) {
      const filter = encodeURIComponent('userName eq "zoe@example.com"');
      const { body } = await at(node)('GET', `/Users?filter=${filter}`);
      expect(body.Resources).toMatchObject([{ active: false }]);
    }
    const lines = await runCommand(next.app.realms, 'audit', { realm: 'test' });
    expect(JSON.stringify(lines)).toContain('"by":"scim"');
    expect([...here.errors, ...there.errors]).toEqual([]);
  },
);

const PASSWORD = 'quince-tart';

const person = (uid: string) => ({
  uid,
  name: `Person ${uid}`,
  mail: `${uid}@example.com`,
  password: PASSWORD,
});

function entryOf(url: string): string {
  const path = join(temporaryFolder(), 'sign-in.json');
  const entry = {
    type: 'ldap',
    name: 'office',
    url,
    allows_plain_text: true,
    bind_dn: ADMIN.dn,
    bind_password: ADMIN.password,
    base: `ou=people,${BASE}`,
  };
  writeFileSync(path, JSON.stringify({ entries: [entry] }));
  return path;
}

const refusedEverywhere = (cluster: TestCluster, someone: Person) =>
  vi.waitFor(async () => {
    for (const node of cluster.running()) {
      expect((await node.get(someone, '/users/me')).status).toBe(401);
    }
  });

interface Acknowledged {
  readonly id: string;
  readonly userName: string;
  readonly version: string;
}

/** Makes accounts, as a directory does that comes again when it is refused for now. */
async function madeAt(
  ask: Directory['ask'],
  count: number,
  inTheMiddle: () => Promise<void>,
): Promise<readonly Acknowledged[]> {
  const acknowledged: Acknowledged[] = [];
  let killing: Promise<void> | undefined;
  for (let number = 0; number < count; number += 1) {
    if (number === Math.floor(count / 2)) killing = inTheMiddle();
    const userName = `person${number}@example.com`;
    await vi.waitFor(
      async () => {
        const { status, body } = await ask('POST', '/Users', { userName });
        if (status === 201)
          acknowledged.push({ id: body.id, userName, version: body.meta.version });
        // One that nobody acknowledged may be there nevertheless.
        expect([201, 409]).toContain(status);
      },
      { timeout: 20_000, interval: 100 },
    );
  }
  await killing;
  return acknowledged;
}

/** Lets the time of the sync come at all nodes at once. */
async function syncedBy(cluster: TestCluster) {
  const due: (() => void)[] = [];
  const clock = { ...systemClock, setTimeout: (run: () => void) => due.push(run) };
  const synced: object[] = [];
  const schedules = cluster.running().map(({ name, app }) =>
    scheduleSyncs(app.realms, {
      clock,
      onSynced: (one) => void synced.push({ by: name, ...one }),
      onBug: (error) => expect.fail(String(error)),
    }),
  );
  const begun = due.splice(0);
  expect(begun).toHaveLength(schedules.length);
  for (const run of begun) run();
  // Each waits for its next time when it is done.
  await vi.waitFor(() => expect(due).toHaveLength(begun.length), { timeout: 10_000 });
  for (const schedule of schedules) schedule?.stop();
  return synced;
}
