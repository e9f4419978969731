import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Secret, TOTP } from 'otpauth';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { findingsInBoth, findingsOn } from '../../support/pages/accessibility.ts';
import { CHROMIUM, FIREFOX } from '../../support/pages/browser.ts';
import { cutOn } from '../../support/pages/sight.ts';
import { enter, follow, loggedIn } from '../../support/pages/web-client.ts';
import { addApp, codeAt } from '../../support/people/second-steps.ts';

const inChromium = test.skipIf(CHROMIUM === null);
const NAME = 'Mel Member';
/** It logs in three times; this ends what hangs, also on a machine that does much else. */
const TIMEOUT_MS = 180_000;

const BROWSERS = [
  { browserName: 'chromium', isThere: CHROMIUM !== null },
  { browserName: 'firefox', isThere: FIREFOX !== null },
] as const;

/** The errors that browsers throw where a passkey is made, each with the words of the page. */
const UNMADE = [
  ['NotAllowedError', 'No passkey was added. Try again, or add an app.'],
  ['InvalidStateError', 'This device has a passkey of your account already.'],
  ['SecurityError', 'The browser allows no passkeys at this address. Ask whoever runs the server.'],
  ['NotSupportedError', 'This device cannot make a passkey. Try another one, or add an app.'],
  ['UnknownError', 'No passkey was added. Try again, or add an app.'],
] as const;

test.each(BROWSERS.filter(({ isThere }) => isThere))(
  'an app is added by its code, and asked for at the log-in, in $browserName',
  async ({ browserName }) => {
    const { page, server, people } = await loggedIn(NAME, { browserName });
    /** Firefox has its colours from a setting. */
    const look = async () => {
      if (browserName === 'chromium') expect(await findingsInBoth(page)).toEqual([]);
      await page.setViewportSize({ width: 320, height: 640 });
      expect(await cutOn(page)).toEqual([]);
      await page.setViewportSize({ width: 1280, height: 800 });
    };
    const password = passwordOf(server, people.mel.email);
    await follow(page, '#settings/security');
    const panel = page.getByRole('region', { name: 'Second step', exact: true });
    await panel.getByText('Your password alone logs you in.').waitFor();
    await panel.getByRole('button', { name: 'Add an app …' }).click();
    await confirm(page, password);
    const secret = (await panel.locator('.secret code').textContent()) ?? '';
    await panel.getByRole('img', { name: /^QR code/ }).waitFor();
    await look();
    const app = new TOTP({ secret: Secret.fromBase32(secret) });
    await page.getByLabel('Code that the app shows').fill(app.generate());
    await page.keyboard.press('Enter');
    const codes = ((await panel.locator('pre').textContent()) ?? '').split('\n');
    expect(codes).toHaveLength(10);
    if (browserName === 'chromium') expect(await findingsOn(page)).toEqual([]);
    await panel.getByRole('button', { name: 'I have kept them' }).click();
    await panel.getByText('10 left, for when you have nothing else at hand').waitFor();
    await logOut(page);
    await page.getByLabel('Email address').fill(people.mel.email);
    await page.getByLabel('Password').fill(password);
    await page.keyboard.press('Enter');
    const field = page.getByLabel('Code of your app, or a recovery code');
    await field.waitFor();
    expect(await field.evaluate((element) => element === document.activeElement)).toBe(true);
    await field.fill('000000');
    await page.keyboard.press('Enter');
    await page.getByText('This code is wrong, or was used already').waitFor();
    await look();
    await field.fill(codes[0] ?? '');
    await page.keyboard.press('Enter');
    await page.getByText('live', { exact: true }).first().waitFor({ state: 'attached' });
    await logOut(page);
    await page.getByLabel('Email address').fill(people.mel.email);
    await page.getByLabel('Password').fill(password);
    await page.keyboard.press('Enter');
    // The code of the next half a minute counts too, for clocks that are fast.
    await field.fill(app.generate({ timestamp: Date.now() + 30_000 }));
    await page.keyboard.press('Enter');
    await page.getByText('live', { exact: true }).first().waitFor({ state: 'attached' });
    // An open page follows what is done elsewhere.
    await follow(page, '#settings/security');
    await panel.getByText('9 left, for when you have nothing else at hand').waitFor();
    await server.delete(people.mel, '/users/me/second_step/app', { password });
    await panel.getByText('Your password alone logs you in.').waitFor();
  },
  TIMEOUT_MS,
);

inChromium('a passkey is added and logs in alone, and the password does not any more', async () => {
  const { page, server, people } = await loggedIn(NAME);
  const password = passwordOf(server, people.mel.email);
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  await follow(page, '#settings/security');
  const panel = page.getByRole('region', { name: 'Second step', exact: true });
  await panel.getByRole('button', { name: 'Add a passkey …' }).click();
  await page.getByLabel('Name of the passkey').fill('My laptop');
  await confirm(page, password);
  await panel.getByRole('button', { name: 'I have kept them' }).click();
  await panel.getByText('My laptop').waitFor();
  await panel.getByText(/not used yet/).waitFor();
  // A key needs a code too, and the account has no app.
  const keys = page.getByRole('region', { name: 'API keys', exact: true });
  await keys.getByLabel('Your password').fill(password);
  await keys.getByRole('button', { name: 'Show a key' }).click();
  await keys.getByLabel('Recovery code', { exact: true }).waitFor();
  await logOut(page);
  const sent: string[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/sessions/passkey')) sent.push(request.postData() ?? '');
  });
  await page.getByRole('button', { name: 'Log in with a passkey' }).click();
  await page.getByText('live', { exact: true }).first().waitFor({ state: 'attached' });
  // The same answer does not count twice.
  const again = await page.evaluate(async (body) => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const reply = await fetch('/api/v1/sessions/passkey', { method: 'POST', body, headers });
    return await reply.json();
  }, sent[0] ?? '');
  expect(again).toMatchObject({ code: 'SECOND_STEP_FAILED' });
  await follow(page, '#settings/security');
  await panel.getByText(/used (?!yet)/).waitFor();
  await logOut(page);
  await page.getByLabel('Email address').fill(people.mel.email);
  await page.getByLabel('Password').fill(password);
  await page.keyboard.press('Enter');
  await page.getByLabel('Recovery code').waitFor();
  await page.getByRole('button', { name: 'Log in with a passkey' }).click();
  await page.getByText('live', { exact: true }).first().waitFor({ state: 'attached' });
  // One whose holder was not verified, and one that signed elsewhere, do not count.
  await logOut(page);
  await devtools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false });
  await page.getByRole('button', { name: 'Log in with a passkey' }).click();
  await page.getByText('No passkey was used. Try again, or log in another way.').waitFor();
});

inChromium('a passkey that is not made is told in plain words, and what to do then', async () => {
  const { page, server, people } = await loggedIn(NAME);
  const password = passwordOf(server, people.mel.email);
  await follow(page, '#settings/security');
  const panel = page.getByRole('region', { name: 'Second step', exact: true });
  await panel.getByRole('button', { name: 'Add a passkey …' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Your password').fill(password);
  for (const [name, words] of UNMADE) {
    await page.evaluate((thrown) => {
      navigator.credentials.create = () =>
        Promise.reject(new DOMException('See: https://www.w3.org/TR/webauthn-2/', thrown));
    }, name);
    await dialog.getByRole('button', { name: 'Go on' }).click();
    await dialog.getByText(words, { exact: true }).waitFor();
  }
});

inChromium('a key of a program needs a code, and an owner takes the step away', async () => {
  const { page, server, people } = await loggedIn(NAME);
  const password = passwordOf(server, people.mel.email);
  const { codes } = await addApp(server, people.mel, { password, at: Date.now() });
  await follow(page, '#settings/security');
  const keys = page.getByRole('region', { name: 'API keys', exact: true });
  await keys.getByLabel('Your password').fill(password);
  await keys.getByRole('button', { name: 'Show a key' }).click();
  const code = keys.getByLabel('Code of your app, or a recovery code');
  await code.fill(codes[0] ?? '');
  expect(await findingsInBoth(page)).toEqual([]);
  await keys.getByRole('button', { name: 'Show a key' }).click();
  await keys.locator('.secret code').waitFor();

  await logOut(page);
  await enter(page, 'Ona Owner');
  await follow(page, '#organization/people');
  await page.getByRole('button', { name: `Reset the second step of ${NAME}` }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('They are told by mail.').waitFor();
  expect(await findingsInBoth(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Reset', exact: true }).click();
  await page.getByText(`The password of ${NAME} logs in alone now.`).waitFor();
  expect((await server.get(people.mel, '/users/me/second_step')).body).toMatchObject({
    has_app: false,
    recovery_codes_left: 0,
  });
});

inChromium('an owner requires a second step, and others add one before all else', async () => {
  const { page, server, people } = await loggedIn('Ona Owner');
  const password = passwordOf(server, people.mel.email);
  await follow(page, '#organization/joining');
  const required = page.getByLabel('All log in with a second step, or add one first');
  await required.click();
  await page.getByText('Add a second step to your own account first.').waitFor();
  const own = passwordOf(server, people.ona.email);
  await addApp(server, people.ona, { password: own, at: Date.now() });
  await required.click();
  // Somebody without a step may only add one, which they are shown at the next visit.
  await expect
    .poll(async () => (await server.get(people.mel, '/users/me')).body.code)
    .toBe('SECOND_STEP_MISSING');
  await page.evaluate(() => fetch('/api/v1/sessions/current', { method: 'DELETE' }));
  await page.reload();
  await page.getByRole('button', { name: NAME }).click();
  await page.getByRole('heading', { name: 'Add a second step' }).waitFor();
  await page.getByRole('button', { name: 'Add an app …' }).click();
  await confirm(page, password);
  const secret = (await page.locator('.secret code').textContent()) ?? '';
  await page.getByLabel('Code that the app shows').fill(codeAt(secret, Date.now()));
  expect(await findingsInBoth(page)).toEqual([]);
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'I have kept them' }).click();
  await page.getByText('live', { exact: true }).first().waitFor({ state: 'attached' });
});

const confirm = async (page: Page, password: string) => {
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Your password').fill(password);
  expect(await findingsOn(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Go on' }).click();
  await dialog.waitFor({ state: 'detached' });
};

const logOut = async (page: Page) => {
  await page.evaluate(() => fetch('/api/v1/sessions/current', { method: 'DELETE' }));
  await page.reload();
  await page.getByRole('heading', { name: 'Log in' }).waitFor();
};

/** Returns the password of somebody of the demo, which is in the demo file. */
const passwordOf = ({ data }: { readonly data: string }, email: string): string => {
  const { users } = JSON.parse(readFileSync(join(data, 'demo-credentials.json'), 'utf8')) as {
    users: { email: string; password: string }[];
  };
  return users.find((user) => user.email === email)?.password ?? '';
};
