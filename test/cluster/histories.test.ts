import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { runCommand } from '../../src/admin/commands.ts';
import { slack } from '../../src/imports/formats/slack/slack.ts';
import { archiveOf } from '../imports/formats/archive-in-memory.ts';
import { openClient } from '../support/client.ts';
import { caughtUp, openTestCluster, type TestNode } from '../support/cluster/nodes.ts';
import { download } from '../support/files/uploads.ts';
import { openPage } from '../support/pages/page.ts';
import { importHere } from '../support/realms/import-here.ts';
import { temporaryFolder } from '../support/scratch.ts';
import { startServer } from '../support/start-server.ts';
import type { Person } from '../support/users.ts';

const PASSWORD = 'a harbour at dawn';
const LONG = { timeout: 20_000, interval: 20 };

test('a history is imported on a server of its own, and its realm comes into a cluster', async () => {
  const file = await exported();
  const cluster = openTestCluster();
  const a = await cluster.start('a');
  const b = await cluster.start('b');
  await cluster.owner();
  expect(await runCommand(b.app.realms, 'realm import', { file, name: 'tea' })).toEqual([
    { realm_id: 1, realm: 'tea' },
  ]);
  await vi.waitFor(() => {
    for (const { app } of [a, b]) {
      expect(app.realms.at('tea.localhost').realm?.isOpen()).toBe(true);
    }
  }, LONG);

  // A placeholder is claimed at any node, by its link, and has all that it wrote and read.
  const owner = await cluster.owner();
  const other = owner === a ? b : a;
  const to = { email: 'ann@example.com', realm: 'tea' };
  const [link] = await runCommand(owner.app.realms, 'user password-link', to);
  const path = new URL((link as { url: string }).url).pathname;
  const page = `http://127.0.0.1:${other.app.port}${path}`;
  const done = await openPage(page, { method: 'POST', form: { password: PASSWORD } });
  expect(done.status).toBe(200);
  const ann = await loggedIn(other);
  for (const node of [a, b]) {
    const client = at(node);
    const { body } = await client.get(ann, '/messages', {
      narrow: JSON.stringify([{ operator: 'channel', operand: 'tea' }]),
      anchor: 'oldest',
      num_before: 0,
      num_after: 10,
      apply_markdown: false,
    });
    const messages = body.messages as { subject: string; content: string }[];
    expect(messages.map(({ subject }) => subject)).toEqual(['Which milk?', 'Which milk?']);
    const [, address = ''] = /\]\(([^)]+)\)/.exec(messages[1]?.content ?? '') ?? [];
    expect(String((await download(client, address, { as: ann })).bytes)).toBe('the plan');
  }
  await caughtUp(cluster);
  expect([...a.errors, ...b.errors]).toEqual([]);
});

/** Imports a history of Slack on a server without a cluster, and exports its realm. */
async function exported(): Promise<string> {
  const server = await startServer();
  const { realms } = server.app;
  const archive = archiveOf({
    'users.json': [
      { id: 'U1', name: 'ann', profile: { real_name: 'Ann Ash', email: 'ann@example.com' } },
      { id: 'U2', name: 'bob', profile: { real_name: 'Bob Beam' } },
    ],
    'channels.json': [{ id: 'C1', name: 'tea', members: ['U1', 'U2'] }],
    'tea/2024-01-02.json': [
      { user: 'U2', ts: '1704189600.0', thread_ts: '1704189600.0', text: 'Which milk?' },
      {
        user: 'U1',
        ts: '1704189620.0',
        thread_ts: '1704189600.0',
        text: 'oat',
        files: [{ id: 'F0000001', name: 'plan.txt' }],
      },
    ],
    '__uploads/F0000001/plan.txt': 'the plan',
  });
  const of = { realm: 'tea', source: 'slack:tea', format: 'slack' };
  await importHere(realms, { format: slack, archive, of });
  const file = join(temporaryFolder(), 'tea.zip');
  await runCommand(realms, 'realm export', { realm: 'tea', file });
  await server.stop();
  return file;
}

const at = ({ app }: TestNode) => ({ ...openClient(() => app.port, 'tea.localhost'), app });

/** Logs in with the new password; returns the person with their key. */
async function loggedIn(node: TestNode): Promise<Person> {
  const email = 'ann@example.com';
  const { body } = await at(node).post(null, '/fetch_api_key', {
    username: email,
    password: PASSWORD,
  });
  expect(body).toMatchObject({ result: 'success' });
  return { id: body.user_id, email, fullName: 'Ann Ash', apiKey: body.api_key };
}
