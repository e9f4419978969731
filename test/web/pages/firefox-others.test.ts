import { expect, test } from 'vitest';
import { findingsOn } from '../../support/pages/accessibility.ts';
import { FIREFOX, openTab } from '../../support/pages/browser.ts';
import { confab } from '../../support/processes/run.ts';
import { startProcess } from '../../support/processes/start-process.ts';

const inFirefox = test.skipIf(FIREFOX === null);

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
