import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { findingsOn } from '../support/pages/accessibility.ts';
import { FULL_CHROMIUM, openPushBrowser } from '../support/push/push-browser.ts';

const inChromium = test.skipIf(FULL_CHROMIUM === null);

const panelOf = (page: Page) =>
  page.getByRole('region', { name: 'While the page is closed', exact: true });

/** Turns pushes on as a person does, in the settings. */
async function turnOn(page: Page) {
  await page.evaluate("location.hash = '#settings/notifications'");
  await panelOf(page).getByRole('button', { name: 'Turn on pushes' }).click();
  await panelOf(page).getByText('On: notices come').waitFor();
}

async function opened() {
  const browser = await openPushBrowser();
  const page = await browser.context.newPage();
  await browser.logIn(page, browser.mel);
  await turnOn(page);
  const { server, mel, max } = browser;
  const send = async (message: Readonly<Record<string, unknown>>): Promise<number> =>
    (await server.post(max, '/messages', message)).body.id as number;
  return {
    ...browser,
    page,
    sendDirect: (content: string) => send({ type: 'direct', to: [mel.id], content }),
    mention: (topic: string, content: string) =>
      send({ type: 'channel', to: 'general', topic, content: `@**${mel.fullName}** ${content}` }),
  };
}

inChromium('with no page open, notices come, are taken back, and lead to messages', async () => {
  const { server, page, mel, max, sendDirect, mention, deliver, shown, click } = await opened();
  await page.close();
  const id = await sendDirect('soup');
  await deliver();
  await expect
    .poll(shown)
    .toEqual([{ title: 'Max Member', body: 'soup', tag: `dm ${max.id}`, by: 'push' }]);
  const other = await mention('Tea', 'cake');
  await deliver();
  await expect.poll(shown).toContainEqual({
    title: 'Max Member in general › Tea',
    body: '@Mel Member cake',
    tag: 'topic 1 tea',
    by: 'push',
  });
  const after = async (work: Promise<unknown>, bodies: string[]) => {
    await work;
    await deliver();
    await expect.poll(async () => (await shown()).map(({ body }) => body)).toEqual(bodies);
  };
  const read = { messages: [id], op: 'add', flag: 'read' };
  await after(server.post(mel, '/messages/flags', read), ['@Mel Member cake']);
  const { origin } = new URL(server.url);
  expect(await click()).toEqual([`${origin}/#narrow/channel/1/near/${other}`]);
  expect(await shown()).toEqual([]);
  const gone = await mention('Tea', 'pie');
  await after(Promise.resolve(), ['@Mel Member pie']);
  await after(server.delete(server.people.ona, `/messages/${gone}`), []);
});

inChromium('an open page and the service worker show a message once', async () => {
  const { page, server, max, mel, ...browser } = await opened();
  const { sendDirect, mention, deliver, shown } = browser;
  // A page that is looked at shows nothing, and neither does the service worker.
  await sendDirect('seen');
  await deliver();
  await browser.deliverTest();
  expect(await shown()).toEqual([]);

  await browser.look(page, false);
  const soup = { title: 'Max Member', body: 'soup', tag: `dm ${max.id}`, by: 'page' };
  const id = await sendDirect('soup');
  await expect.poll(shown).toEqual([soup]);
  await deliver();
  await browser.deliverTest();
  expect(await shown()).toEqual([soup]);
  await server.post(mel, '/messages/flags', { messages: [id], op: 'add', flag: 'read' });
  await expect.poll(shown).toEqual([]);

  const cake = { title: 'Max Member in general › Tea', tag: 'topic 1 tea', by: 'page' };
  await mention('Tea', 'cake');
  await expect.poll(shown).toMatchObject([{ ...cake, body: '@Mel Member cake' }]);
  await mention('tea', 'pie');
  await expect.poll(shown).toMatchObject([{ tag: cake.tag, body: '@Mel Member pie' }]);

  // A click goes to the conversation in the page, which is not loaded again.
  await page.evaluate('self.stays = true');
  expect(await browser.click()).toEqual([]);
  await page.waitForURL(/#narrow\/channel\/1.*\/topic\/[Tt]ea/);
  expect(await page.evaluate('self.stays')).toBe(true);

  // A message that comes while the page is loaded is told of as well.
  let arrive: () => void = () => undefined;
  const isSent = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  let isRegistered = false;
  await page.route('**/assets/**', async (route) => {
    // The code that follows events is loaded after the first view.
    if (isRegistered) await isSent;
    await route.continue();
  });
  const registered = page.waitForResponse(/\/register$/);
  await page.reload({ waitUntil: 'commit' });
  await registered;
  isRegistered = true;
  await sendDirect('early');
  arrive();
  await expect.poll(shown).toMatchObject([{ body: 'early', by: 'page' }]);
});

inChromium('pushes follow the key, the browser and the account', async () => {
  const { page, server, service, context, mel, ...browser } = await opened();
  const known = () =>
    server.perform((tx) =>
      Array.from(tx.pushTokens.under([mel.id]), ([, { token }]) =>
        token.slice(service.origin.length),
      ),
    );
  const subscription = () => page.evaluate(`localStorage.getItem('test.subscription')`);
  expect(await known()).toEqual(['/s/1']);
  const key = (await server.get(mel, '/users/me/web_push')).body['application_server_key'];

  // The organization has moved: the browser has the key of before.
  await page.evaluate(
    `localStorage.setItem('test.subscription', JSON.stringify({ key: 'AAAA', count: 1 }))`,
  );
  await page.reload();
  await expect.poll(subscription).toBe(JSON.stringify({ key, count: 2 }));
  await expect.poll(known).toContain('/s/2');

  // The settings list both, and remove the one that is no more.
  const list = page.getByRole('region', { name: 'What gets your pushes', exact: true });
  await list.getByText('this one').waitFor();
  expect(await findingsOn(page)).toEqual([]);
  const another = list.getByRole('listitem').filter({ hasNotText: 'this one' });
  await another.getByRole('button', { name: 'Remove A browser' }).click();
  await expect.poll(known).toEqual(['/s/2']);
  await another.waitFor({ state: 'detached' });
  // A browser that was removed elsewhere does not come again by itself.
  const [device] = (await server.get(mel, '/users/me/push_devices')).body['push_devices'];
  await server.delete(mel, `/users/me/push_devices/${device.id}`);
  await page.reload();
  await expect.poll(subscription).toBeNull();
  await panelOf(page).getByText('Off: nothing is shown').waitFor();
  expect(await known()).toEqual([]);
  await turnOn(page);
  expect(await known()).toEqual(['/s/3']);

  const worker = await browser.worker();
  const { p256dh, auth } = browser.keys;
  await worker.evaluate(`(async () => {
    const next = { endpoint: '${service.origin}/s/next', keys: ${JSON.stringify({ p256dh, auth })} };
    PushManager.prototype.subscribe = async () => ({ toJSON: () => next });
    const event = new ExtendableEvent('pushsubscriptionchange');
    event.oldSubscription = { options: {} };
    let work;
    event.waitUntil = (given) => { work = given; };
    self.dispatchEvent(event);
    await work;
  })()`);
  expect(await known()).toContain('/s/next');

  await browser.look(page, false);
  await browser.sendDirect('soup');
  await expect.poll(browser.shown).toHaveLength(1);
  await page.getByRole('button', { name: 'Menu' }).click();
  await page.getByRole('menuitem', { name: 'Log out' }).click();
  await page.getByLabel('Password').waitFor();
  await expect.poll(subscription).toBeNull();
  await expect.poll(browser.shown).toEqual([]);

  // Somebody else has turned them on in this browser, and went without a log-out.
  await browser.logIn(page, mel);
  await turnOn(page);
  await page.evaluate("localStorage.setItem('confab.pushes', '999')");
  await page.reload();
  await expect.poll(subscription).toBeNull();
  await panelOf(page).getByText('Off: nothing is shown').waitFor();

  await context.clearPermissions();
  await context.grantPermissions([], { origin: new URL(server.url).origin });
  await page.reload();
  await panelOf(page).getByText('Off, as long as notices').waitFor();
});
