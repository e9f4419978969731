import type { BrowserContext } from 'playwright-core';
import { expect } from 'vitest';
import { inBrowsers } from '../../support/pages/in-browsers.ts';
import { messageWith, type Story, send, textsIn } from '../../support/pages/story.ts';
import { say } from '../../support/pages/web-client.ts';

const EMAIL = 'ira@example.com';
const PASSWORD = 'a long way to the lighthouse';

inBrowsers('an invited person joins by a link, is logged in, reads, and answers', async (story) => {
  const { server, at, origin } = story;
  const owner = await at('Ona Owner');
  const ona = owner.person;
  const max = server.people['max'] ?? expect.fail('the demo has Max');
  await say(server, max, ['general', 'welcome'], 'Ira joins us today');
  const ira = await joins(story, await linkOf(story));
  const { page, hand } = ira;

  await page.getByRole('heading', { level: 1, name: 'Welcome' }).waitFor();
  await page.getByRole('heading', { name: 'Welcome to Demo, Ira' }).waitFor();
  await page.getByText(EMAIL).waitFor();
  expect(new URL(page.url()).hash).toBe('#welcome');
  await hand.press(page.getByRole('main').getByRole('link', { name: 'general', exact: true }));
  await messageWith(page, 'Ira joins us today').waitFor();
  await owner.page
    .getByRole('complementary', { name: 'People' })
    .getByText('Ira Invited')
    .waitFor();
  await hand.goTo('welcome');
  await page.getByRole('heading', { level: 1, name: 'welcome' }).waitFor();
  await send(ira, 'Hello, I am here');

  const unread = owner.page.getByRole('main').getByRole('link', { name: 'welcome 2 unread' });
  await owner.hand.press(unread);
  await messageWith(owner.page, 'Hello, I am here').getByText('Ira Invited').waitFor();
  expect(await textsIn(server, ona, ['general', 'welcome'])).toEqual([
    'Ira joins us today',
    'Hello, I am here',
  ]);
  // A reload shows the person who joined the same.
  await expect.poll(() => page.title()).toBe('welcome · general · Demo');
  await page.reload();
  await messageWith(page, 'Hello, I am here').waitFor();
  await expect.poll(() => page.title()).toBe('welcome · general · Demo');
  expect(await cookiesOf(ira.context)).toEqual([{ httpOnly: true, sameSite: 'Lax' }]);
  expect(page.url().startsWith(origin)).toBe(true);
});

async function linkOf({ server, participants }: Story): Promise<string> {
  const ona = participants[0]?.person ?? expect.fail('the owner is there');
  const channels = (await server.get(ona, '/streams')).body.streams as { stream_id: number }[];
  const { body } = await server.post(ona, '/invites/multiuse', {
    stream_ids: channels.map(({ stream_id }) => stream_id),
  });
  return new URL(String(body.invite_link)).pathname;
}

/** Opens the link in a browser of its own, fills in the form, and is one of the people. */
async function joins({ server, visit, origin, participants }: Story, link: string) {
  const visitor = await visit();
  const { page, hand } = visitor;
  await page.goto(origin + link);
  await hand.fill(page.getByLabel('Full name'), 'Ira Invited');
  await hand.fill(page.getByLabel('Email address'), EMAIL);
  await hand.fill(page.getByLabel('Password'), PASSWORD);
  await hand.press(page.getByRole('button', { name: 'Join' }));
  await page.getByRole('heading', { level: 1, name: 'Welcome' }).waitFor();
  const login = { username: EMAIL, password: PASSWORD };
  const { body } = await server.post(null, '/fetch_api_key', login);
  const person = {
    id: Number(body.user_id),
    email: EMAIL,
    fullName: 'Ira Invited',
    apiKey: String(body.api_key),
  };
  participants.push({ ...visitor, person });
  return visitor;
}

const cookiesOf = async (context: BrowserContext) =>
  (await context.cookies()).map(({ httpOnly, sameSite }) => ({ httpOnly, sameSite }));
