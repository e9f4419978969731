import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, inject, test } from 'vitest';
import { findingsInBoth, findingsOn } from '../support/pages/accessibility.ts';
import { CHROMIUM, openTab } from '../support/pages/browser.ts';
import { confab } from '../support/processes/run.ts';
import { type ServerProcess, startProcess } from '../support/processes/start-process.ts';
import { temporaryFolder } from '../support/scratch.ts';

const inChromium = test.skipIf(CHROMIUM === null);

const OPERATOR = { CONFAB_OPERATOR: '127.0.0.1:0' };
const VIEWS = [
  'Now',
  'Charts',
  'Log',
  'Actors',
  'Realms',
  'Users',
  'Audit',
  'Connections',
  'Outbox',
  'Backups',
  'Checks',
];

/** The views with a table that is never empty. */
const WITH_ROWS: ReadonlySet<string> = new Set(['Realms', 'Users', 'Audit']);

const addressOf = async ({ data }: ServerProcess) =>
  String((await confab(data, 'console'))[0]?.['url']);

/** A server with the demo realm, and a browser that has logged in to its console. */
async function opened(options: Parameters<typeof openTab>[0] = {}) {
  const server = await startProcess({ ...OPERATOR, CONFAB_LOG_LEVEL: 'info' });
  const tab = await openTab(options);
  const address = await addressOf(server);
  await tab.page.goto(address);
  await tab.page.getByText('ready', { exact: true }).waitFor();
  return { server, address, ...tab, origin: new URL(address).origin };
}

const view = async (page: Page, name: string) => {
  await page.getByRole('navigation').getByRole('link', { name }).click();
  await page.getByRole('heading', { level: 1, name }).waitFor();
};

const send = ({ post, people }: ServerProcess, content: string) =>
  post(people['mel'] ?? null, '/messages', { type: 'stream', to: 'general', topic: 'a', content });

inChromium(
  'a one-time address opens the console once; without it a browser sees how to log in',
  async () => {
    const { page, address, origin, browser, faults } = await opened();
    expect(page.url()).toBe(`${origin}/console`);
    const other = await (await browser.newContext()).newPage();
    const again = await other.goto(address);
    expect(again?.status()).toBe(403);
    await other.getByRole('alert').getByText('not valid').waitFor();
    const bare = await other.goto(`${origin}/console`);
    expect(bare?.status()).toBe(401);
    await other.getByText('confab console', { exact: true }).last().waitFor();
    expect(await findingsOn(other)).toEqual([]);
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByText('You are logged out').waitFor();
    expect((await page.goto(`${origin}/console`))?.status()).toBe(401);
    expect(faults).toEqual([]);
  },
);

inChromium(
  'the tiles move when messages are sent, and the policy lets nothing else run',
  async () => {
    const { server, page, faults } = await opened();
    const tile = page
      .getByRole('listitem')
      .filter({ has: page.getByRole('heading', { name: 'Sends' }) });
    await tile.getByText('0 /s').waitFor();
    let isOver = false;
    const sending = (async () => {
      while (!isOver) await send(server, 'hello');
    })();
    await tile.getByText(/^[1-9][\d,.k]* \/s$/).waitFor();
    isOver = true;
    await sending;
    expect(await tile.locator('.spark .line').getAttribute('d')).toMatch(/^M\d+ /);
    const policy = (await page.request.get(page.url())).headers()['content-security-policy'];
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self'");
    expect(policy).toContain("require-trusted-types-for 'script'");
    expect(policy).not.toContain('unsafe');
    expect(faults).toEqual([]);
  },
);

inChromium('the log is filtered by level and text, and says what a record means', async () => {
  const { server, page } = await opened();
  await view(page, 'Log');
  const rows = page.getByRole('main').getByRole('listitem');
  await rows.filter({ hasText: 'ready' }).first().waitFor();
  process.kill(server.pid(), 'SIGUSR2');
  const ignored = rows.filter({ hasText: 'ignored; a restart reads the settings' });
  await ignored.waitFor();
  await page.getByLabel('At least').selectOption('warn');
  await expect.poll(() => rows.count()).toBe(1);
  await page.getByLabel('With the text').fill('no record has this');
  await page.getByText('No record is like that').waitFor();
  await page.getByLabel('With the text').fill('SIGUSR2');
  await ignored.locator('summary').click();
  await ignored.getByText('Settings are read once, at the start.').waitFor();
});

inChromium('a realm is made, deactivated and opened again', async () => {
  const { page, server, faults } = await opened();
  await view(page, 'Realms');
  await page.getByRole('button', { name: 'New realm' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('acme');
  await dialog.getByLabel('Title').fill('Acme Inc.');
  await dialog.getByRole('button', { name: 'Create' }).click();
  const row = page.getByRole('row').filter({ hasText: 'Acme Inc.' });
  await row.getByText('active', { exact: true }).waitFor();
  await row.getByRole('button', { name: 'Deactivate' }).click();
  await dialog.getByRole('button', { name: 'Deactivate' }).click();
  await row.getByText('deactivated', { exact: true }).waitFor();
  expect(await confab(server.data, 'realm', 'list')).toContainEqual(
    expect.objectContaining({ realm: 'acme', is_active: false }),
  );
  await row.getByRole('button', { name: 'Reactivate' }).click();
  await row.getByText('active', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'New realm' }).click();
  await dialog.getByLabel('Name').fill('acme');
  await page.keyboard.press('Enter');
  await page.getByRole('status').getByText("There is a realm 'acme' already").waitFor();
  expect(faults).toEqual([]);
});

inChromium(
  'a user is found, gets another role, a key and a password link, and is deactivated',
  async () => {
    const { page, server } = await opened();
    await view(page, 'Users');
    await page.getByText('7 accounts').waitFor();
    await page.getByLabel('Name or address').fill('mel@');
    await page.getByText('1 account', { exact: true }).waitFor();
    await page.getByLabel('Role of mel@demo.example.com').selectOption('moderator');
    await page.getByText('mel@demo.example.com is moderator now').waitFor();
    const shown = async () =>
      (await confab(server.data, 'user', 'show', '--email', 'mel@demo.example.com'))[0];
    expect(await shown()).toMatchObject({ role: 'moderator' });
    await page.getByRole('button', { name: 'New key' }).click();
    const dialog = page.getByRole('dialog');
    const key = await dialog.getByRole('code').textContent();
    const mel = { id: 0, email: 'mel@demo.example.com', fullName: '', apiKey: key ?? '' };
    expect((await server.get(mel, '/users/me')).status).toBe(200);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Password link' }).click();
    const link = new URL((await dialog.getByRole('code').textContent()) ?? '');
    const visited = await fetch(`http://127.0.0.1:${server.port()}${link.pathname}`);
    expect(await visited.text()).toContain('password');
    expect(visited.status).toBe(200);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Deactivate' }).click();
    await dialog.getByRole('button', { name: 'Deactivate' }).click();
    await page.getByRole('button', { name: 'Reactivate' }).waitFor();
    expect(await shown()).toMatchObject({ is_active: false });
  },
);

inChromium('the audit log tells who changed what, by kind and by account', async () => {
  const { page, server, faults } = await opened();
  const email = 'mel@demo.example.com';
  await confab(server.data, 'user', 'role', '--email', email, '--role', 'moderator');
  await view(page, 'Audit');
  const rows = page.getByRole('row');
  const change = rows.filter({ hasText: 'operator' }).filter({ hasText: 'role' }).first();
  await change.getByText('user: update').waitFor();
  await change.getByText(email).waitFor();
  expect(await change.locator('del').textContent()).toBe('member');
  expect(await change.locator('ins').textContent()).toBe('moderator');
  await page.getByLabel('Kind').selectOption('key');
  await page.getByText('key: add').first().waitFor();
  await expect.poll(() => page.getByText('user: update').count()).toBe(0);
  await page.getByLabel('By (address)').fill(email);
  await page.getByText('No act is like that.').waitFor();
  await page.getByLabel('By (address)').fill('nobody@demo.example.com');
  await page.getByRole('alert').getByText('nobody@demo.example.com').waitFor();
  expect(await findingsOn(page)).toEqual([]);
  expect(faults).toEqual([]);
});

inChromium(
  'the tree shows a channel with its listeners and an attached queue with its client',
  async () => {
    const { page, server } = await opened();
    const { mel, max } = server.people;
    if (mel === undefined || max === undefined) throw new Error('the demo has these people');
    for (const person of [mel, max]) {
      const socket = await server.socket(person, { headers: { 'user-agent': 'Builds/2.1' } });
      socket.send({ type: 'register', params: { event_types: ['message'] } });
      await socket.frame('registered');
    }
    await view(page, 'Actors');
    await page.getByText('# general').waitFor();
    const channel = page.getByRole('listitem').filter({ hasText: /^# general/ });
    await channel.getByText('2 listeners').waitFor();
    await page.getByText('2 attached queues, 0 detached').waitFor();
    const builds = page.getByRole('listitem').filter({ hasText: /^Builds/ });
    await builds.getByText('2 by socket').waitFor();
    await builds.locator('summary').click();
    await builds.getByText('Mel Member').waitFor();
    await page.getByRole('button', { name: 'Record', exact: true }).click();
    await page.getByRole('button', { name: 'Stop recording' }).waitFor();
    await send(server, 'hi');
    await server.register(max);
    const further = await server.socket(max);
    further.send({ type: 'register', params: { event_types: ['message'] } });
    await page.getByRole('listitem').filter({ hasText: 'started' }).first().waitFor();
    await view(page, 'Connections');
    await page.getByRole('row').filter({ hasText: 'Builds' }).getByText('2.1').waitFor();
  },
);

inChromium(
  'checks examine the machine and the stored data, and a backup is made and verified',
  async () => {
    const { page } = await opened();
    await view(page, 'Checks');
    await page.getByRole('row').filter({ hasText: 'descriptors' }).waitFor();
    await page
      .getByRole('row')
      .filter({ hasText: /^mail/ })
      .getByText('set CONFAB_SMTP_URL')
      .waitFor();
    await page.getByRole('button', { name: 'Check the stored data' }).click();
    await page.getByText('The stored data is sound').waitFor();
    await view(page, 'Backups');
    await page.getByRole('button', { name: 'Back up now' }).click();
    await page.getByLabel('The folder of all backups').fill(temporaryFolder());
    await page.getByRole('dialog').getByRole('button', { name: 'Back up' }).click();
    const row = page.getByRole('row').filter({ hasText: 'complete' });
    await row.waitFor();
    await row.getByRole('button', { name: 'Verify' }).click();
    await page.getByText('is whole').waitFor();
  },
);

const HALVES = [VIEWS.slice(0, 5), VIEWS.slice(5)].map((views) => ({ views }));

inChromium.each(HALVES)('axe finds nothing on $views, light and dark', async ({ views }) => {
  const { page, server, faults } = await opened();
  await send(server, 'hi');
  process.kill(server.pid(), 'SIGUSR2');
  for (const name of views) {
    await view(page, name);
    if (name === 'Charts') await page.locator('canvas').first().waitFor();
    if (WITH_ROWS.has(name)) await page.getByRole('row').nth(1).waitFor();
    expect({ name, findings: await findingsInBoth(page) }).toEqual({ name, findings: [] });
  }
  await view(page, 'Realms');
  await page.getByRole('button', { name: 'New realm' }).click();
  expect(await findingsInBoth(page)).toEqual([]);
  expect(faults).toEqual([]);
});

inChromium('everything is reached by keys, and nothing is wider than a phone', async () => {
  const { page } = await opened({ width: 390, height: 844 });
  for (const name of VIEWS) {
    await view(page, name);
    if (WITH_ROWS.has(name)) await page.getByRole('row').nth(1).waitFor();
    const isWider = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
    expect({ name, isWider }).toEqual({ name, isWider: false });
  }
  await page.reload();
  await page.getByText('ready', { exact: true }).waitFor();
  await page.keyboard.press('Tab');
  const focused = page.locator(':focus');
  expect(await focused.textContent()).toBe('Skip to the view');
  await page.keyboard.press('Enter');
  expect(await focused.getAttribute('id')).toBe('view');
});

test('the page loads at most 22 KiB, and its charts and the audit log later', () => {
  const folder = join(inject('dist'), 'bundle', 'console');
  const assets = readdirSync(join(folder, 'assets')).filter((name) => /\.(js|css)$/.test(name));
  const sizes = ['index.html', ...assets.map((name) => `assets/${name}`)].map((name) => {
    const { length } = readFileSync(join(folder, `${name}.br`));
    return { name, length };
  });
  const total = (some: typeof sizes) => some.reduce((sum, { length }) => sum + length, 0);
  const isLater = ({ name }: (typeof sizes)[number]) => /plots|audit|cluster|gateways/.test(name);
  expect(sizes.filter(isLater)).toHaveLength(4);
  expect(total(sizes)).toBeLessThanOrEqual(43 * 1024);
  expect(total(sizes.filter((one) => !isLater(one)))).toBeLessThanOrEqual(22 * 1024);
});
