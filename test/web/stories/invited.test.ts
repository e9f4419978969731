import { expect, test } from 'vitest';
import { CHROMIUM } from '../../support/pages/browser.ts';
import { expectAsFresh } from '../../support/pages/shown.ts';
import { messageWith, openStory, send, textsIn } from '../../support/pages/story.ts';
import { say } from '../../support/pages/web-client.ts';

const inChromium = test.skipIf(CHROMIUM === null);

inChromium('an invited person joins by a link, logs in, reads, and answers', async () => {
  const { server, at, visit, origin } = await openStory();
  const { ona } = server.people;
  if (ona === undefined) expect.fail('the demo has an owner');
  await say(server, ona, ['general', 'welcome'], 'Ira joins us today');
  const channels = (await server.get(ona, '/streams')).body.streams as { stream_id: number }[];
  const { body } = await server.post(ona, '/invites/multiuse', {
    stream_ids: channels.map(({ stream_id }) => stream_id),
  });
  const link = new URL(String(body.invite_link));
  const owner = await at('Ona Owner');

  const { page, context } = await visit();
  await page.goto(origin + link.pathname);
  await page.getByLabel('Full name').fill('Ira Invited');
  await page.getByLabel('Email address').fill('ira@example.com');
  await page.getByLabel('Password').fill('a long way to the lighthouse');
  await page.getByRole('button', { name: 'Join' }).click();
  await page.getByRole('heading', { name: 'Welcome' }).waitFor();
  await page.getByRole('link', { name: 'Log in' }).click();
  await page.getByLabel('Email address').fill('ira@example.com');
  await page.getByLabel('Password').fill('a long way to the lighthouse');
  await page.keyboard.press('Enter');

  await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor();
  await page.getByRole('link', { name: 'general', exact: true }).click();
  await messageWith(page, 'Ira joins us today').waitFor();
  const own = owner.page.getByRole('complementary', { name: 'People' });
  await own.getByText('Ira Invited').waitFor();
  await page.evaluate("location.hash = '#narrow/channel/1-general/topic/welcome'");
  await send(page, 'Hello, I am here');
  await owner.page.getByRole('main').getByRole('link', { name: 'welcome 1 unread' }).click();
  await messageWith(owner.page, 'Hello, I am here').getByText('Ira Invited').waitFor();
  expect(await textsIn(server, ona, ['general', 'welcome'])).toEqual([
    'Ira joins us today',
    'Hello, I am here',
  ]);
  await expectAsFresh(owner, server, ona);
  // A reload shows the person who joined the same.
  await expect.poll(() => page.title()).toBe('welcome · general · Demo');
  await page.reload();
  await messageWith(page, 'Hello, I am here').waitFor();
  await expect.poll(() => page.title()).toBe('welcome · general · Demo');
  expect(
    (await context.cookies()).map(({ httpOnly, sameSite }) => ({ httpOnly, sameSite })),
  ).toEqual([{ httpOnly: true, sameSite: 'Lax' }]);
});
