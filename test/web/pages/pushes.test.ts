import { expect, test } from 'vitest';
import { findingsOn } from '../../support/pages/accessibility.ts';
import { CHROMIUM } from '../../support/pages/browser.ts';
import { follow, loggedIn } from '../../support/pages/web-client.ts';

const inChromium = test.skipIf(CHROMIUM === null);

inChromium('the panel says how it stands', async () => {
  const { page, faults } = await loggedIn('Mel Member');
  await follow(page, '#settings/notifications');
  const panel = page.getByRole('region', { name: 'While the page is closed', exact: true });
  await panel.getByRole('status').waitFor();
  expect(await panel.getByRole('status').textContent()).toMatch(/^(?:Off|This browser)/);
  expect(await findingsOn(page)).toEqual([]);
  expect(faults).toEqual([]);
});
