import { expect, test } from 'vitest';
import {
  caughtUp,
  makeTestRealm,
  openTestCluster,
  type TestNode,
} from '../support/cluster/nodes.ts';
import { download } from '../support/files/uploads.ts';
import {
  addressAt,
  contentsAt,
  MAIL_IN,
  type MailPlace,
  mailed,
} from '../support/notifications/incoming-mails.ts';
import type { Person } from '../support/users.ts';

/** Nodes that receive mails, and the address of a channel. */
async function started(names: readonly string[], copies?: number) {
  const cluster = openTestCluster({ env: MAIL_IN, ...(copies === undefined ? {} : { copies }) });
  const nodes = await Promise.all(names.map((name) => cluster.start(name)));
  const people = await makeTestRealm(cluster);
  const owner = await cluster.owner();
  const followers = nodes.filter((node) => node !== owner);
  const { mel } = people;
  const subscriptions = [{ name: 'general' }];
  await owner.post(mel, '/users/me/subscriptions', { subscriptions });
  const to = await addressAt(owner, mel, mel.id);
  await caughtUp(cluster);
  return { cluster, nodes, people, owner, followers, to };
}

const contents = async (node: TestNode, as: Person) =>
  (await contentsAt(node, as)).filter((content) => content.startsWith('mail '));

test('mails come in at any node, with files, and once wherever they are repeated', async () => {
  const { cluster, nodes, people, owner, followers, to } = await started(['a', 'b']);
  const { mel } = people;
  for (const node of nodes) {
    const mail = { to, subject: 'Tea', text: `mail ${node.name}`, messageId: `<${node.name}@x>` };
    const attachments = [{ filename: 'plan.txt', content: `of ${node.name}` }];
    const first = await mailed(node, { ...mail, attachments });
    expect(first).toMatchObject({ code: 250, text: expect.stringMatching(/message \d+/) });
    // The relay has not got the answer, and tries all nodes, at the same time too.
    const again = await Promise.all(nodes.map((other) => mailed(other, { ...mail, attachments })));
    expect(again).toEqual(nodes.map(() => first));
  }
  await caughtUp(cluster);
  const shown = await contents(owner, mel);
  expect(shown).toHaveLength(2);
  for (const content of shown) {
    const [, name = ''] = /^mail (\w)/.exec(content) ?? [];
    const [, path = ''] = /\((\/user_uploads\/\S+)\)/.exec(content) ?? [];
    for (const node of nodes) {
      expect(String((await download(node, path, { as: mel })).bytes)).toBe(`of ${name}`);
    }
  }
  const [follower] = followers;
  const refusals = await Promise.all([
    mailed(follower ?? owner, { to: `x${to}`, subject: 'x', text: 'mail x' }),
    mailed(follower ?? owner, { to: 'x@other.localhost', subject: 'x', text: 'mail x' }),
    mailed(follower ?? owner, { to, text: 'x', headers: { 'X-Confab-Mail': '1' } }),
  ]);
  expect(refusals.map(({ code }) => code)).toEqual([550, 550, 554]);
  expect(nodes.flatMap(({ errors }) => errors)).toEqual([]);
});

test('a mail is not lost when the owner is killed, and comes to the next one', async () => {
  const { cluster, people, owner, followers, to } = await started(['a', 'b', 'c']);
  const { mel } = people;
  const [at = owner] = followers;
  const mail = { to, subject: 'Tea', text: 'mail 1', messageId: '<1@x>' };
  // The owner has stored the message, and its answer does not come back.
  const killed = new Promise<void>((resolve) => {
    const { onRecord } = at.store.faults;
    at.store.faults.onRecord = async (...given) => {
      at.store.faults.onRecord = onRecord;
      await owner.kill();
      resolve();
      return await onRecord?.(...given);
    };
  });
  const outcome = await mailed(at, mail);
  await killed;
  expect([250, 451]).toContain(outcome.code);
  const next = await cluster.owner();
  expect(await mailed(next, mail)).toMatchObject({ code: 250 });
  expect(await mailed(at, mail)).toMatchObject({ code: 250 });
  await caughtUp(cluster);
  for (const node of followers) expect(await contents(node, mel)).toEqual(['mail 1']);
});

test('a mail waits for the next owner while there is none', async () => {
  const { people, owner, followers, to } = await started(['a', 'b']);
  const [at = owner] = followers;
  await owner.kill();
  expect(await mailed(at, { to, subject: 'Tea', text: 'mail 1' })).toMatchObject({ code: 250 });
  expect(await contents(at, people.mel)).toEqual(['mail 1']);
});

test('a node without a copy hands mails over, and only nodes may hand mails to each other', async () => {
  const { nodes, people, owner, to } = await started(['a', 'b', 'c'], 1);
  const mail = (node: MailPlace & { name: string }) =>
    mailed(node, { to, subject: 'Tea', text: `mail ${node.name}` });
  for (const node of nodes) expect(await mail(node)).toMatchObject({ code: 250 });
  const shown = await contents(owner, people.mel);
  expect(shown.sort()).toEqual(nodes.map(({ name }) => `mail ${name}`).sort());
  const [{ app } = owner] = nodes.filter((node) => node !== owner);
  const { port } = app.node?.relayTargetOf('test.localhost', false) ?? expect.fail();
  for (const headers of [{}, { 'x-gateway': Buffer.from('{"secret":"x"}').toString('base64') }]) {
    const url = `http://127.0.0.1:${port}/mails`;
    const sent = { ...headers, 'x-mail-to': to };
    const answer = await fetch(url, { method: 'POST', headers: sent, body: '\r\nmail forged' });
    expect(answer.status).toBe(404);
  }
  expect(await contents(owner, people.mel)).toHaveLength(nodes.length);
});
