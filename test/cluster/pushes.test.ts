import { expect, test } from 'vitest';
import { caughtUp, makeTestRealm, openTestCluster } from '../support/cluster/nodes.ts';
import { browserKeys, SILENT, startPushService } from '../support/push/browser.ts';

test('the owner pushes once, and the next owner goes on after a kill', async () => {
  let isSilent = false;
  const keys = browserKeys();
  const service = await startPushService(keys, () => ({ status: isSilent ? SILENT : 201 }));
  const cluster = openTestCluster({ env: { CONFAB_WEB_PUSH_PRIVATE_ADDRESSES: '1' } });
  const nodes = await Promise.all(['a', 'b', 'c'].map((name) => cluster.start(name)));
  const { mel, max } = await makeTestRealm(cluster);
  const owner = await cluster.owner();
  const follower = nodes.find((node) => node !== owner) ?? owner;
  const { p256dh, auth } = keys;
  const subscription = { endpoint: `${service.origin}/s/1`, p256dh, auth };
  expect((await follower.post(mel, '/users/me/web_push', subscription)).status).toBe(200);
  const send = async (content: string) => {
    const message = { type: 'direct', to: [mel.id], content };
    return (await follower.post(max, '/messages', message)).body.id as number;
  };
  const pushed = () => service.pushed.map(({ notice }) => Number(notice['message_id']));

  const first = await send('first');
  await expect.poll(pushed).toEqual([first]);
  await caughtUp(cluster);
  isSilent = true;
  const second = await send('second');
  await expect.poll(pushed).toEqual([first, second]);
  await caughtUp(cluster);
  isSilent = false;
  await owner.kill();
  await expect.poll(pushed).toEqual([first, second, second]);
  const third = await send('third');
  await expect.poll(pushed).toEqual([first, second, second, third]);

  // All nodes have the same key, so that the subscription holds.
  const keysOfNodes = await Promise.all(
    cluster.running().map((node) => node.get(mel, '/users/me/web_push')),
  );
  const used = new Set(service.pushed.map(({ sender }) => sender));
  for (const { body } of keysOfNodes) used.add(String(body['application_server_key']));
  expect(used.size).toBe(1);
  expect(service.faults).toEqual([]);
});
