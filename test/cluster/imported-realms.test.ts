import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { runCommand } from '../../src/admin/commands.ts';
import { openClient } from '../support/client.ts';
import { copiesOf } from '../support/cluster/copies.ts';
import {
  caughtUp,
  makeTestRealm,
  openTestCluster,
  type TestCluster,
  type TestNode,
} from '../support/cluster/nodes.ts';
import { laterSchemas } from '../support/cluster/schemas.ts';
import { download, uploaded } from '../support/files/uploads.ts';
import { temporaryFolder } from '../support/scratch.ts';

const DIRECT = { type: 'direct', content: 'hello' };
const DAY_MS = 86_400_000;

test('an archive is imported at any node, and all nodes have the realm with its files', async () => {
  const { cluster, a, b, mel, max, file, url } = await started();
  const lines = await runCommand(b.app.realms, 'realm import', { file, name: 'copy' });
  expect(lines).toEqual([{ realm_id: 2, realm: 'copy' }]);
  const [atA, atB] = [copyAt(a), copyAt(b)];
  await served(a, b);
  // The files of the archive are in the storage that the nodes share.
  for (const node of [atA, atB]) {
    expect(String((await download(node, url, { as: mel })).bytes)).toBe('kept');
  }
  expect(readdirSync(join(b.data, 'realms')).sort()).toEqual(['1', '2']);
  const sent = await atB.post(mel, '/messages', { ...DIRECT, to: [max.id], content: 'later' });
  expect(sent.body).toMatchObject({ result: 'success' });
  expect((await atA.get(max, `/messages/${sent.body.id}`)).status).toBe(200);
  await expect(runCommand(a.app.realms, 'realm import', { file, name: 'copy' })).rejects.toThrow(
    "There is a realm 'copy' already",
  );
  // One that joins later takes the snapshot and reads on.
  const c = await cluster.start('c');
  await caughtUp(cluster);
  expect((await copyAt(c).get(max, `/messages/${sent.body.id}`)).status).toBe(200);
  expect([...a.errors, ...b.errors, ...c.errors]).toEqual([]);
  const copies = await copiesOf(cluster, { realmId: 2 });
  const hashes = ['a', 'b', 'c'].map((name) => copies.get(name));
  expect(new Set(hashes).size).toBe(1);
});

test('8: nothing is imported beside stores of another schema', async () => {
  const { file } = await started();
  const cluster = openTestCluster();
  const schemas = laterSchemas({ readsFormer: true, writesFormer: true });
  const a = await cluster.start('a', schemas);
  await makeTestRealm(cluster);
  const before = new Set(cluster.objects.objects.keys());
  const importing = runCommand(a.app.realms, 'realm import', { file, name: 'copy' });
  await expect(importing).rejects.toThrow('run `confab cluster upgrade` first');
  expect(copyIn(a)).toBeUndefined();
  await nothingLeft(cluster, before);
});

test('an imported realm goes on when the node that imported it is killed', async () => {
  const { cluster, a, b, mel, max, file } = await started();
  await runCommand(a.app.realms, 'realm import', { file, name: 'copy' });
  await served(a, b);
  const sent = await copyAt(b).post(mel, '/messages', { ...DIRECT, to: [max.id] });
  await a.kill();
  await cluster.owner();
  const more = await copyAt(b).post(mel, '/messages', { ...DIRECT, to: [max.id] });
  expect(more.body).toMatchObject({ result: 'success' });
  expect((await copyAt(b).get(max, `/messages/${sent.body.id}`)).status).toBe(200);
});

test.each([0, 1, 2])(
  'an import that the storage fails after %i requests leaves nothing, and is done again',
  async (requests) => {
    const { cluster, a, b, file } = await started();
    const before = new Set(cluster.objects.objects.keys());
    cluster.objects.isAway = requests;
    const importing = runCommand(a.app.realms, 'realm import', { file, name: 'copy' });
    await expect(importing).rejects.toThrow(/is away|cannot be reached/);
    cluster.objects.isAway = false;
    expect(copyIn(a)).toBeUndefined();
    await nothingLeft(cluster, before);
    for (const { data } of [a, b]) expect(readdirSync(join(data, 'realms'))).toEqual(['1']);
    const again = await runCommand(a.app.realms, 'realm import', { file, name: 'copy' });
    // The number is not given again.
    expect(again).toEqual([{ realm_id: 3, realm: 'copy' }]);
    await served(a, b);
  },
);

test.each(['its first file', 'its snapshot', 'the description of it'])(
  'a node that is killed when it stores %s leaves nothing half-made',
  async (what) => {
    const { cluster, b, file } = await started();
    const before = new Set(cluster.objects.objects.keys());
    const part = { 'its first file': /uploads/, 'its snapshot': /\.mdb/ }[what] ?? /\.json/;
    let isKilled = false;
    const { put } = cluster.objects;
    cluster.objects.put = async (key, content) => {
      await put(key, content);
      if (!/realms\/2\/|snapshots\/0\/2\//.test(key) || !part.test(key) || isKilled) return;
      isKilled = true;
      await b.kill();
    };
    await expect(
      runCommand(b.app.realms, 'realm import', { file, name: 'copy' }),
    ).rejects.toThrow();
    expect(isKilled).toBe(true);
    const again = await cluster.start('b');
    await nothingLeft(cluster, before);
    expect(readdirSync(join(again.data, 'realms'))).toEqual(['1']);
    const [a = again] = cluster.running();
    expect(copyIn(a)).toBeUndefined();
    await runCommand(again.app.realms, 'realm import', { file, name: 'copy' });
    await served(a, again);
  },
);

test('nodes start while the storage is away, with what they have, and get the rest when it is back', async () => {
  const { cluster, a, b, mel, max, file } = await started();
  await runCommand(b.app.realms, 'realm import', { file, name: 'copy' });
  await served(a, b);
  await caughtUp(cluster);
  await Promise.all([a.stop(), b.stop()]);
  cluster.objects.isAway = true;
  // It has copies of all realms.
  const again = await cluster.start('a');
  await cluster.owner();
  await served(again);
  const sent = await copyAt(again).post(mel, '/messages', { ...DIRECT, to: [max.id] });
  expect(sent.body).toMatchObject({ result: 'success' });
  // The one has a record that made it, and the other is in the storage.
  const c = await cluster.start('c');
  await vi.waitFor(() => {
    expect(c.app.health()).toMatchObject({
      isReady: false,
      reasons: ['1 of the realms is missing here, and looked for'],
    });
  }, LONG);
  expect(await c.get(mel, '/users/me')).toMatchObject({ status: 200 });
  const more = await copyAt(again).post(mel, '/messages', { ...DIRECT, to: [max.id] });
  // It passes requests on meanwhile to a node that has the realm.
  await vi.waitFor(async () => {
    const read = await copyAt(c).get(max, `/messages/${more.body.id}`);
    expect(read.status).toBe(200);
  }, LONG);
  cluster.objects.isAway = false;
  await served(c);
  expect(c.app.health().isReady).toBe(true);
  for (const { body } of [sent, more]) {
    expect((await copyAt(c).get(max, `/messages/${body.id}`)).status).toBe(200);
  }
  expect([...again.errors, ...c.errors]).toEqual([]);
});

test('a node that lacks a realm becomes the owner if no other is left, and writes it once it is there', async () => {
  const { cluster, a, b, mel, max, file } = await started();
  await runCommand(b.app.realms, 'realm import', { file, name: 'copy' });
  await served(a, b);
  const sent = await copyAt(b).post(mel, '/messages', { ...DIRECT, to: [max.id] });
  cluster.objects.isAway = true;
  const c = await cluster.start('c');
  await Promise.all([a.kill(), b.kill()]);
  expect((await cluster.owner()).name).toBe('c');
  const reply = await c.post(mel, '/messages', { ...DIRECT, to: [max.id] });
  expect(reply.body).toMatchObject({ result: 'success' });
  // It knows at most its names.
  expect(copyIn(c)?.isOpen() ?? false).toBe(false);
  cluster.objects.isAway = false;
  await served(c);
  expect((await copyAt(c).get(max, `/messages/${sent.body.id}`)).status).toBe(200);
  const more = await copyAt(c).post(mel, '/messages', { ...DIRECT, to: [max.id] });
  expect(more.body).toMatchObject({ result: 'success' });
  expect(c.errors).toEqual([]);
});

test('a realm that is deleted is gone at all nodes, with its files, and stays gone', async () => {
  const { cluster, a, b, file, mel } = await started();
  await runCommand(b.app.realms, 'realm import', { file, name: 'copy' });
  await served(a, b);
  const c = await cluster.start('c');
  await served(a, b, c);
  await c.stop();
  const owner = await cluster.owner();
  const other = owner === a ? b : a;
  await other.app.node?.takeSnapshots();
  await expect(
    runCommand(other.app.realms, 'realm delete', { name: 'copy', yes: true }),
  ).rejects.toThrow(`Node ${owner.name} writes 'copy': run the command there`);
  await runCommand(owner.app.realms, 'realm deactivate', { realm: 'copy' });
  const lines = await runCommand(owner.app.realms, 'realm delete', { name: 'copy', yes: true });
  expect(lines).toEqual([{ realm_id: 2, realm: 'copy', is_deleted: true }]);
  for (const { data } of [a, b]) {
    await vi.waitFor(() => expect(readdirSync(join(data, 'realms'))).toEqual(['1']), LONG);
  }
  const ofRealm = () =>
    [...cluster.objects.objects.keys()].filter((key) => /realms\/2\/|snapshots\/0\/2\//.test(key));
  expect(ofRealm()).toEqual([]);
  for (const node of [a, b]) {
    expect(copyIn(node)).toBeUndefined();
    expect((await node.get(mel, '/users/me')).status).toBe(200);
  }
  // A node that did not run has a copy, and removes it. What is in the log of it changes nothing.
  expect(existsSync(join(c.data, 'realms', '2'))).toBe(true);
  const late = await cluster.start('c');
  await caughtUp(cluster);
  expect(readdirSync(join(late.data, 'realms'))).toEqual(['1']);
  const fresh = await cluster.start('d');
  await caughtUp(cluster);
  expect(readdirSync(join(fresh.data, 'realms'))).toEqual(['1']);
  const [made] = await runCommand(owner.app.realms, 'realm create', { name: 'copy' });
  expect(made).toMatchObject({ realm_id: 3 });
  expect([a, b, late, fresh].flatMap(({ errors }) => errors)).toEqual([]);
});

test('files of a deleted realm go when the storage is back, whoever owns its shard then', async () => {
  const { cluster, a, b, file } = await started();
  await runCommand(b.app.realms, 'realm import', { file, name: 'copy' });
  await served(a, b);
  const owner = await cluster.owner();
  await runCommand(owner.app.realms, 'realm deactivate', { realm: 'copy' });
  const { values } = cluster.log.openNode('operator');
  await vi.waitFor(async () => expect(await values.get('names.2')).toBeDefined(), LONG);
  cluster.objects.isAway = true;
  await runCommand(owner.app.realms, 'realm delete', { name: 'copy', yes: true });
  expect(readdirSync(join(owner.data, 'realms'))).toEqual(['1']);
  await owner.kill();
  cluster.objects.isAway = false;
  await cluster.owner();
  const ofRealm = () =>
    [...cluster.objects.objects.keys()].filter((key) => /realms\/2\/|snapshots\/0\/2\//.test(key));
  await vi.waitFor(() => expect(ofRealm()).toEqual([]), LONG);
  expect(await values.get('names.2')).toBeUndefined();
});

test('a realm that a node did not finish is given up after a day by the owner of its shard', async () => {
  const { cluster, a, b, file } = await started();
  const owner = await cluster.owner();
  const other = owner === a ? b : a;
  const before = new Set(cluster.objects.objects.keys());
  const { put } = cluster.objects;
  cluster.objects.put = async (key, content) => {
    await put(key, content);
    if (key.endsWith('.json')) await other.kill();
  };
  await expect(
    runCommand(other.app.realms, 'realm import', { file, name: 'copy' }),
  ).rejects.toThrow();
  cluster.objects.put = put;
  const again = async (name: string) => {
    await owner.app.realms.create({ stringId: name, name });
    await vi.waitFor(() => expect(owner.app.node?.reasons()).toEqual([]), LONG);
  };
  await again('one');
  expect([...cluster.objects.objects.keys()].some((key) => !before.has(key))).toBe(true);
  cluster.leap(DAY_MS + 1);
  await again('two');
  await nothingLeft(cluster, before);
});

const LONG = { timeout: 20_000, interval: 20 };

/** Two nodes, a realm of people with a file, and its archive. */
async function started() {
  const cluster = openTestCluster();
  const a = await cluster.start('a');
  const people = await makeTestRealm(cluster);
  const { mel, max } = people;
  const url = await uploaded(a, mel, { content: 'kept' });
  await a.post(mel, '/messages', { ...DIRECT, to: [max.id], content: `[file](${url})` });
  const file = join(temporaryFolder(), 'test.zip');
  await runCommand(a.app.realms, 'realm export', { realm: 'test', file });
  const b = await cluster.start('b');
  await caughtUp(cluster);
  return { cluster, a, b, mel, max, file, url };
}

/** The imported realm at a node. */
const copyAt = ({ app }: TestNode) => ({ ...openClient(() => app.port, 'copy.localhost'), app });

/** Returns the realm of the archive at a node. */
function copyIn({ app }: TestNode) {
  const { realm } = app.realms.at('copy.localhost');
  // A host that names no realm means the only one.
  return realm?.id === 1 ? undefined : realm;
}

/** Waits until nodes serve the imported realm, and one of them writes it. */
async function served(...nodes: readonly TestNode[]) {
  await vi.waitFor(() => {
    for (const node of nodes) {
      expect(node.app.node?.reasons()).toEqual([]);
      expect(copyIn(node)?.isOpen()).toBe(true);
    }
  }, LONG);
}

/** Waits until there are no objects but those that were there before. */
async function nothingLeft({ objects }: TestCluster, before: ReadonlySet<string>) {
  await vi.waitFor(
    () => expect([...objects.objects.keys()].filter((key) => !before.has(key))).toEqual([]),
    LONG,
  );
}
