import { cpSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, expect, inject, test } from 'vitest';
import { askForConsole } from '../../src/command-line/ask.ts';
import { openTestCluster } from '../support/cluster/nodes.ts';
import { allPlaced } from '../support/cluster/placed.ts';
import { findingsOn } from '../support/pages/accessibility.ts';
import { CHROMIUM, openTab } from '../support/pages/browser.ts';
import { confab } from '../support/processes/run.ts';
import { startProcess } from '../support/processes/start-process.ts';

const inChromium = test.skipIf(CHROMIUM === null);

const OPERATOR = { CONFAB_OPERATOR: '127.0.0.1:0' };
/** A node that is away is expected again for longer than the test takes. */
const PATIENT = { CONFAB_ABSENCE_MS: '600000' };
const LONG = { timeout: 180_000 };

const view = async (page: Page, name: string) => {
  await page.getByRole('navigation').getByRole('link', { name, exact: true }).click();
  await page.getByRole('heading', { level: 1, name }).waitFor();
};

// Nodes of this process run from the built sources, and not from the bundle that has the files.
beforeAll(() => {
  const dist = inject('dist');
  const options = { recursive: true };
  cpSync(join(dist, 'bundle', 'console'), join(dist, 'src', 'console', 'console'), options);
});

/** A cluster of three, and a browser at the console of a node that follows. */
async function opened(options: Parameters<typeof openTab>[0] = {}, copies = 3) {
  const cluster = openTestCluster({ shards: 4, copies, env: { ...OPERATOR, ...PATIENT } });
  for (const name of ['node1', 'node2', 'node3']) await cluster.start(name);
  await expect
    .poll(() => cluster.running()[0]?.app.node?.figures().shardsWithoutOwner, { timeout: 60_000 })
    .toBe(0);
  const watching = cluster.running()[1] ?? expect.fail('there are three nodes');
  const tab = await openTab(options);
  const { url } = (await askForConsole(watching.data)) as { url: string };
  await tab.page.goto(url);
  // A busy machine may make a node say that it is not ready.
  await tab.page.getByRole('link', { name: 'Cluster' }).waitFor();
  return { cluster, watching, ...tab };
}

const rowsOf = (page: Page, table: string) =>
  page.getByRole('region', { name: table }).getByRole('row');

inChromium('a node that is killed leaves the view, and its shards go to others', LONG, async () => {
  const { cluster, watching, page, faults } = await opened();
  await view(page, 'Cluster');
  const nodes = rowsOf(page, 'Nodes');
  // The first row has the titles.
  await expect.poll(() => nodes.count()).toBe(4);
  await nodes.filter({ hasText: 'node2' }).getByText('this one').waitFor();
  const shards = rowsOf(page, 'Shards');
  expect(await shards.count()).toBe(5);
  await page.getByText('4 of 4 with all copies current').waitFor();
  await expect.poll(() => page.getByText('level', { exact: true }).count()).toBe(8);
  const owner =
    cluster.running().find((node) => {
      const owned = node.app.node?.figures().shards.owned ?? 0;
      return node !== watching && owned > 0;
    }) ?? expect.fail('another node owns something');
  await owner.kill();
  await expect.poll(() => nodes.count()).toBe(3);
  await shards
    .filter({ hasText: `taken over from ${owner.name}` })
    .first()
    .waitFor();
  await page.getByText('nobody wrote for').first().waitFor();
  await shards
    .filter({ hasText: `${owner.name} is not heard of` })
    .first()
    .waitFor();
  watching.store.cut('both');
  await page.getByText('The NATS servers do not answer this node.').waitFor();
  expect(await findingsOn(page)).toEqual([]);
  watching.store.heal();
  await page.getByText('The NATS servers do not answer this node.').waitFor({ state: 'hidden' });
  expect(faults).toEqual([]);
});

inChromium('a shard that is pinned and a node that is drained are marked', LONG, async () => {
  const { cluster, watching, page, faults } = await opened({}, 2);
  await allPlaced(cluster, 2);
  await view(page, 'Cluster');
  const shards = watching.app.node?.describe().shards ?? [];
  const [pinned = expect.fail('there are shards')] = shards;
  const owner = cluster.running().find(({ name }) => name === pinned.owner) ?? expect.fail();
  const to = cluster.running().find(({ name }) => !pinned.wanted.includes(name)) ?? expect.fail();
  await owner.app.node?.move(pinned.shard, to.name);
  await rowsOf(page, 'Shards').getByText(`pinned to ${to.name}`).waitFor();
  await watching.app.node?.unpin(pinned.shard);
  await page.getByText('pinned to').waitFor({ state: 'hidden' });
  await watching.app.node?.drain(owner.name);
  const row = rowsOf(page, 'Nodes').filter({ hasText: owner.name });
  await row.getByText('drained').waitFor();
  expect(await findingsOn(page)).toEqual([]);
  await watching.app.node?.undrain(owner.name);
  await row.getByText('drained').waitFor({ state: 'hidden' });
  expect(faults).toEqual([]);
});

inChromium.each(['light', 'dark'] as const)(
  'axe finds nothing on the cluster, %s, and it is no wider than a phone',
  LONG,
  async (colorScheme) => {
    const { page, faults } = await opened({ colorScheme });
    await view(page, 'Cluster');
    await expect.poll(() => rowsOf(page, 'Nodes').count()).toBe(4);
    expect(await findingsOn(page)).toEqual([]);
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await page.evaluate('document.documentElement.scrollWidth > innerWidth')).toBe(false);
    await page.evaluate(`location.hash = '#now'`);
    await page.getByRole('heading', { level: 1, name: 'Now' }).waitFor();
    await page.evaluate(`location.hash = '#cluster'`);
    // The menu is wider than the page, and shows where one is.
    const link = page.getByRole('link', { name: 'Cluster' });
    await expect
      .poll(async () => {
        const { x = 0, width = 0 } = (await link.boundingBox()) ?? {};
        return x >= 0 && x + width <= 390;
      })
      .toBe(true);
    expect(faults).toEqual([]);
  },
);

inChromium('gateways have a view, and a server without a cluster none of one', LONG, async () => {
  const server = await startProcess({ ...OPERATOR, CONFAB_GATEWAYS: '2' });
  const { page, faults } = await openTab();
  await page.goto(String((await confab(server.data, 'console'))[0]?.['url']));
  await view(page, 'Gateways');
  await expect.poll(() => rowsOf(page, 'Gateways').count()).toBe(3);
  const menu = page.getByRole('navigation');
  expect(await menu.getByRole('link', { name: 'Cluster' }).count()).toBe(0);
  expect(await findingsOn(page)).toEqual([]);
  expect(faults).toEqual([]);
});
