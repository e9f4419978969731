import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
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
  const send = async (message: object): Promise<number> =>
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
  const other = await mention('Tea', 'cake');
  await deliver();
  expect(await shown()).toEqual([
    { title: max.fullName, body: 'soup', tag: `dm ${max.id}` },
    {
      title: `${max.fullName} in general › Tea`,
      body: '@Mel Member cake',
      tag: expect.any(String),
    },
  ]);
  await server.post(mel, '/messages/flags', { messages: [id], op: 'add', flag: 'read' });
  await deliver();
  expect((await shown()).map(({ body }) => body)).toEqual(['@Mel Member cake']);
  expect(await click()).toEqual([`${new URL(server.url).origin}/#narrow/channel/1/near/${other}`]);
  expect(await shown()).toEqual([]);
  const deleted = await mention('Tea', 'pie');
  await deliver();
  expect(await shown()).toHaveLength(1);
  await server.delete(server.people.ona, `/messages/${deleted}`);
  await deliver();
  expect(await shown()).toEqual([]);
});
