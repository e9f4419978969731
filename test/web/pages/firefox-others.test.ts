import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { findingsOn } from '../../support/pages/accessibility.ts';
import { FIREFOX, openTab } from '../../support/pages/browser.ts';
import { confab } from '../../support/processes/run.ts';
import { startProcess } from '../../support/processes/start-process.ts';
import { makeScratch } from '../../support/scratch.ts';
import { startServer } from '../../support/start-server.ts';

const inFirefox = test.skipIf(FIREFOX === null);

/** Firefox asks for an icon where a page names none, and the policy of the page has no pictures. */
const isOfPage = (fault: string) => !fault.includes('/favicon.ico');

inFirefox(
  'the console opens by its address, shows its views, and follows the server',
  async () => {
    const server = await startProcess({
      CONFAB_OPERATOR: '127.0.0.1:0',
      CONFAB_LOG_LEVEL: 'info',
    });
    const { page, faults } = await openTab({ browserName: 'firefox' });
    await page.goto(String((await confab(server.data, 'console'))[0]?.['url']));
    await page.getByText('ready', { exact: true }).waitFor();
    for (const name of ['Users', 'Log', 'Now']) {
      await page.getByRole('navigation').getByRole('link', { name }).click();
      await page.getByRole('heading', { level: 1, name }).waitFor();
      expect(await findingsOn(page)).toEqual([]);
    }
    await server.end('SIGKILL');
    await page.getByText('connection lost').first().waitFor();
    expect(faults.filter((fault) => /policy/i.test(fault))).toEqual([]);
  },
  120_000,
);

inFirefox(
  'a page of the API sends a request, and shows its answer',
  async () => {
    const server = await startServer({ channels: ['general'] });
    const { mel } = server.people;
    const { page, faults } = await openTab({ browserName: 'firefox' });
    await page.goto(`${server.url}/api/getUsersMe`);
    await page.getByLabel('Email address').fill(mel.email);
    await page.getByLabel('API key').fill(mel.apiKey);
    await page.getByRole('button', { name: 'Send GET' }).click();
    await page.getByText('200 OK in').waitFor();
    const shown = await page.getByRole('region', { name: 'Body of the answer' }).textContent();
    expect(JSON.parse(shown ?? '')).toMatchObject({ result: 'success', user_id: mel.id });
    expect(faults.filter(isOfPage)).toEqual([]);
  },
  120_000,
);

// A page ends with signal 11 in Firefox 153 if axe looks at it and the driver writes to it, so
// that these are two tests.
inFirefox(
  'axe finds nothing on a page of the API',
  async () => {
    const server = await startServer();
    const { page, faults } = await openTab({ browserName: 'firefox' });
    await page.goto(`${server.url}/api/getUsersMe`);
    expect(await findingsOn(page)).toEqual([]);
    expect(faults.filter(isOfPage)).toEqual([]);
  },
  120_000,
);

const LAUNCHER = join(import.meta.dirname, '../../support/pages/firefox-launcher.mjs');

inFirefox('a browser whose driver was killed ends', async () => {
  const options = ['--remote-debugging-port=0', '--headless', '--profile', makeScratch()];
  const launcher = spawn(process.execPath, [LAUNCHER, ...options], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(launcher, 'exit');
  onTestFinished(() => void launcher.kill());
  let address = '';
  for await (const line of createInterface({ input: launcher.stderr })) {
    address = /listening on (ws:\S+)/.exec(line)?.[1] ?? '';
    if (address !== '') break;
  }
  const driver = new WebSocket(address);
  await once(driver, 'open');
  // The system closes the sockets of a process that is killed.
  driver.terminate();
  // The launcher ends after Firefox.
  await expect(ended).resolves.toBeDefined();
});
