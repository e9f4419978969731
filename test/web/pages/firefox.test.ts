import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { FIREFOX } from '../../support/pages/browser.ts';
import { loggedIn, say } from '../../support/pages/web-client.ts';

const inFirefox = test.skipIf(FIREFOX === null);

inFirefox('x', async () => {
  const { page, server, people, faults } = await loggedIn('Mel Member', { browserName: 'firefox' });
  await say(server, people.max, ['general', 'lunch'], 'Soup at **noon**?');
  console.log(await page.evaluate('1+1'));
  await page.getByRole('main').getByRole('link', { name: 'lunch 1 unread' }).click();
  await page.getByRole('article').getByText('Soup at').waitFor();
  await page.screenshot({ path: '/tmp/ff1.png' });
  console.log(faults);
});
