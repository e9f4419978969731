import { expect, test } from 'vitest';
import { findingsInBoth, findingsOn } from '../../support/pages/accessibility.ts';
import { CHROMIUM, openTab } from '../../support/pages/browser.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';
import type { Person } from '../../support/users.ts';

type Tab = Awaited<ReturnType<typeof openTab>>['page'];

const ifThere = test.skipIf(CHROMIUM === null);

/** Opens a page of an operation as somebody who has given their key. */
async function openAs(page: Tab, server: TestServer, { email, apiKey }: Person, id: string) {
  await page.goto(`${server.url}/api/${id}`);
  await page.getByLabel('Email address').fill(email);
  await page.getByLabel('API key').fill(apiKey);
}

ifThere('a request is sent with a key that one has, and its answer is shown', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel } = server.people;
  const { page, faults } = await openTab();
  await openAs(page, server, mel, 'postMessages');
  await page.getByRole('textbox', { name: /^content/ }).fill('Soup <b>at</b> noon?');
  await page.getByRole('button', { name: 'Send POST' }).click();
  await page.getByText('200 OK in').waitFor();
  const shown = await page.getByRole('region', { name: 'Body of the answer' }).textContent();
  expect(JSON.parse(shown ?? '')).toMatchObject({ result: 'success', id: 1 });
  const { body } = await server.get(mel, '/messages/1', { apply_markdown: false });
  expect(body.message.content).toBe('Soup <b>at</b> noon?');
  expect(faults).toEqual([]);

  // The key goes with the tab to other pages, and is nowhere else.
  await page.goto(`${server.url}/api/getUsersMe`);
  await page.getByRole('button', { name: 'Send GET' }).click();
  await page.getByText('200 OK in').waitFor();
  expect(await page.evaluate('JSON.stringify({ ...localStorage }) + document.cookie')).toBe('{}');
  expect(page.url()).not.toContain(mel.apiKey);
  await page.getByRole('button', { name: 'Forget' }).click();
  expect(await page.evaluate('sessionStorage.getItem("key")')).toBeNull();
});

ifThere('a refusal is shown, with what the server says', async () => {
  const server = await startServer();
  const { page, faults } = await openTab();
  await openAs(page, server, { ...server.people.mel, apiKey: 'wrong' }, 'getUsersMe');
  await page.getByRole('button', { name: 'Send GET' }).click();
  await page.getByText('401 Unauthorized in').waitFor();
  expect(await page.getByRole('region', { name: 'Body of the answer' }).textContent()).toContain(
    '"code": "UNAUTHORIZED"',
  );
  expect(faults).toEqual([]);
});

ifThere('what takes something away is asked for first', async () => {
  const server = await startServer({ channels: ['general'] });
  const { ona } = server.people;
  const message = { type: 'channel', to: 'general', topic: 'lunch', content: 'soup?' };
  await server.post(ona, '/messages', message);
  const { page } = await openTab();
  await openAs(page, server, ona, 'deleteMessagesByMessageId');
  await page.getByLabel('message_id').fill('1');
  const send = page.getByRole('button', { name: 'Send DELETE' });
  await send.click();
  const dialog = page.getByRole('dialog', { name: 'Really send this?' });
  expect(await dialog.textContent()).toContain('DELETE /api/v1/messages/1');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  expect((await server.get(ona, '/messages/1')).status).toBe(200);

  await send.click();
  await dialog.getByRole('button', { name: 'Send it' }).click();
  await page.getByText('200 OK in').waitFor();
  expect((await server.get(ona, '/messages/1')).status).toBe(400);
});

ifThere('a poll that waits can be stopped', async () => {
  const server = await startServer();
  const { mel } = server.people;
  const queue = await server.register(mel, { event_types: ['message'] });
  const { page } = await openTab();
  await openAs(page, server, mel, 'getEvents');
  await page.getByLabel('queue_id').fill(queue.id);
  await page.getByLabel('last_event_id').fill(String(queue.lastEventId));
  await page.getByRole('button', { name: 'Send GET' }).click();
  await page.getByText('Waiting for the answer …').waitFor();
  await page.getByRole('button', { name: 'Stop' }).click();
  await page.getByText('Stopped.').waitFor();
});

ifThere('operations are filtered, and languages chosen, by keys', async () => {
  const server = await startServer();
  const { page } = await openTab();
  await page.goto(`${server.url}/api/getUsersMe`);
  const side = page.getByRole('navigation', { name: 'Operations' });
  await side.getByLabel('Filter operations').fill('post /messages rend');
  await side.getByText('1 of').waitFor();
  expect(await side.getByRole('link').allTextContents()).toEqual([
    expect.stringContaining('Render'),
  ]);
  await page.getByRole('tab', { name: 'curl' }).focus();
  await page.keyboard.press('ArrowRight');
  await page.getByRole('tabpanel', { name: 'JavaScript' }).waitFor();
  expect(await page.getByRole('tabpanel').count()).toBe(1);
  await page.reload();
  await page.getByRole('tabpanel', { name: 'JavaScript' }).waitFor();
});

ifThere('the pages can be read without their script', async () => {
  const server = await startServer();
  const { page } = await openTab({ javaScriptEnabled: false });
  await page.goto(`${server.url}/api/postMessages`);
  for (const language of ['curl', 'JavaScript', 'Python']) {
    expect(await page.getByRole('heading', { name: language, exact: true }).isVisible()).toBe(true);
  }
  expect(await page.getByRole('button', { name: 'Send POST' }).isVisible()).toBe(false);
  await page.getByRole('link', { name: 'Objects' }).click();
  await page.getByRole('heading', { name: 'Objects' }).waitFor();
});

ifThere.each([1440, 360])(
  'anybody can use the pages, light and dark, of %d pixels',
  async (width) => {
    const server = await startServer({ channels: ['general'] });
    const { page, faults } = await openTab({ width });
    for (const path of ['', '/errors', '/getMessages', '/nothing']) {
      await page.goto(`${server.url}/api${path}`);
      expect(await findingsInBoth(page)).toEqual([]);
      const overflow =
        'document.documentElement.scrollWidth - document.documentElement.clientWidth';
      expect([path, await page.evaluate(overflow)]).toEqual([path, 0]);
    }
    await openAs(page, server, server.people.mel, 'postMessages');
    await page.getByRole('button', { name: 'Send POST' }).click();
    await page.getByText('200 OK in').waitFor();
    expect(await findingsInBoth(page)).toEqual([]);
    expect(faults).toEqual([]);
  },
);

ifThere.each(['events', 'objects'])('anybody can use the long list of %s', async (name) => {
  const server = await startServer();
  const { page } = await openTab();
  await page.goto(`${server.url}/api/${name}`);
  expect(await findingsOn(page)).toEqual([]);
});
