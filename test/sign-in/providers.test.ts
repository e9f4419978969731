import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findingsOn } from '../support/pages/accessibility.ts';
import { CHROMIUM, FIREFOX, openTab } from '../support/pages/browser.ts';
import { cutOn } from '../support/pages/sight.ts';
import { CLIENT, startProvider } from '../support/people/provider.ts';
import { startProcess } from '../support/processes/start-process.ts';
import { temporaryFolder } from '../support/scratch.ts';

/** It takes seconds; this ends what hangs, also on a machine that does much else. */
const TIMEOUT_MS = 180_000;

/** Each browser has one of the two, which is as much time as one browser for both. */
const WAYS = [
  { gateways: '0', browserName: 'chromium', isThere: CHROMIUM !== null },
  { gateways: '2', browserName: 'firefox', isThere: FIREFOX !== null },
] as const;

test.each(WAYS.filter(({ isThere }) => isThere))(
  'a person signs in by the button and logs out there too, with $gateways gateways in $browserName',
  async ({ gateways, browserName }) => {
    const provider = await startProvider();
    const path = join(temporaryFolder(), 'sign-in.json');
    const entry = { type: 'openid', name: 'idp', display_name: 'The Provider', logs_out: true };
    const client = { issuer: provider.issuer, client_id: CLIENT.id, client_secret: CLIENT.secret };
    writeFileSync(path, JSON.stringify({ entries: [{ ...entry, ...client }] }));
    const server = await startProcess({ CONFAB_SIGN_IN: path, CONFAB_GATEWAYS: gateways });
    const origin = `http://localhost:${server.port()}`;
    await provider.open(`${origin}/accounts/sign-in/idp/return`);
    const { mel } = server.people;
    if (mel === undefined) throw new Error('the demo has no mel');
    provider.become({ sub: 'mel-1', email: mel.email, email_verified: true });
    const { page } = await openTab({ browserName });
    await page.goto(origin);
    const button = page.getByRole('link', { name: 'Log in with The Provider' });
    await button.waitFor();
    expect(await findingsOn(page)).toEqual([]);
    if (browserName === 'chromium') {
      await page.emulateMedia({ colorScheme: 'dark' });
      expect(await findingsOn(page)).toEqual([]);
    }
    await page.setViewportSize({ width: 320, height: 640 });
    expect(await cutOn(page)).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 800 });
    await button.focus();
    await page.keyboard.press('Enter');
    await page.locator('nav.left').waitFor({ state: 'attached' });
    expect(new URL(page.url()).search).toBe('');
    const cookies = (await page.context().cookies(origin)).map(({ name }) => name);
    expect(cookies).toContain(`confab-${server.port()}`);
    expect(cookies).not.toContain('confab-sign-in');
    await page.getByRole('button', { name: 'Menu' }).click();
    await page.getByRole('menuitem', { name: 'Log out' }).click();
    await page.getByRole('button', { name: 'Yes, sign me out' }).click();
    await button.waitFor();
    expect(new URL(page.url())).toMatchObject({ origin, pathname: '/', search: '' });
    // The provider has forgotten the person: somebody else may come.
    const left = (await page.context().cookies(origin)).map(({ name }) => name);
    expect(left).not.toContain(`confab-${server.port()}`);
    // The other way round: a log-out at the provider alone ends the session here.
    await button.click();
    await page.locator('nav.left').waitFor({ state: 'attached' });
    await page.goto(`${provider.issuer}/session/end?client_id=${CLIENT.id}`);
    await page.getByRole('button', { name: 'Yes, sign me out' }).click();
    await page.waitForURL(/success/);
    await page.goto(origin);
    await button.waitFor();
  },
  TIMEOUT_MS,
);
