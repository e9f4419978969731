import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { png } from '../../support/files/images.ts';
import { uploaded } from '../../support/files/uploads.ts';
import { findingsOn } from '../../support/pages/accessibility.ts';
import { CHROMIUM } from '../../support/pages/browser.ts';
import { composeField, messageWith, openStory } from '../../support/pages/story.ts';
import { follow, say } from '../../support/pages/web-client.ts';

const inChromium = test.skipIf(CHROMIUM === null);

const LUNCH = '#narrow/channel/1-general/topic/lunch';
const HERE = ['general', 'lunch'] as const;

async function opened() {
  const story = await openStory();
  const { mel, max, ada, ona } = story.server.people;
  if (!mel || !max || !ada || !ona) throw new Error('The demo realm has these people');
  return { ...story, people: { mel, max, ada, ona } };
}

async function toLunch(page: Page) {
  await follow(page, LUNCH);
  await composeField(page).waitFor();
}

const choose = async (page: Page, item: string) => {
  await page.getByRole('button', { name: 'More to put in' }).click();
  await page.getByRole('menuitem', { name: item }).click();
};

/** Opens the menu of a message, and takes an item of it. */
async function act(page: Page, text: string, item: string) {
  const message = messageWith(page, text);
  await message.hover();
  await message.getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('menuitem', { name: item }).click();
}

const dialog = (page: Page) => page.getByRole('dialog');

const focused = (page: Page) => page.evaluate('document.activeElement.getAttribute("aria-label")');

inChromium(
  'a poll is begun, voted in, added to and renamed, in all windows and after a reload',
  async () => {
    const story = await opened();
    const mel = await story.at('Mel Member');
    const ada = await story.at('Ada Administrator', { colorScheme: 'dark' });
    await toLunch(mel.page);
    await toLunch(ada.page);
    await choose(mel.page, 'New poll');
    await dialog(mel.page).getByLabel('Question').fill('Where?');
    await dialog(mel.page).getByLabel('Options').fill('here\n- there');
    expect(await findingsOn(mel.page)).toEqual([]);
    await dialog(mel.page).getByRole('button', { name: 'Write it' }).click();
    await expect
      .poll(() => composeField(mel.page).inputValue())
      .toBe('/poll Where?\nhere\n- - there');
    await expect
      .poll(() => composeField(mel.page).evaluate('document.activeElement.tagName'))
      .toBe('TEXTAREA');
    await mel.page.keyboard.press('Control+Enter');
    const polls = [mel, ada].map(({ page }) => page.getByRole('region', { name: 'Poll' }));
    const [own, other] = polls as [(typeof polls)[0], (typeof polls)[0]];
    // By keys: the option is a button like others.
    await other.getByRole('button', { name: '- there' }).focus();
    await ada.page.keyboard.press('Enter');
    await own.getByText('Ada Administrator', { exact: true }).waitFor();
    await other.getByRole('button', { name: '1 vote for - there', pressed: true }).waitFor();
    await other.getByRole('textbox', { name: 'Another option' }).fill('elsewhere');
    await ada.page.keyboard.press('Enter');
    await own.getByRole('button', { name: 'elsewhere' }).click();
    await own.getByText('2 people have voted').waitFor();
    // Only who wrote it changes the question.
    expect(await other.getByRole('button', { name: 'Change the question' }).count()).toBe(0);
    await own.getByRole('button', { name: 'Change the question' }).click();
    await mel.page.keyboard.type('When?');
    await mel.page.keyboard.press('Enter');
    await other.getByText('When?').waitFor();
    for (const { page } of [mel, ada]) expect(await findingsOn(page)).toEqual([]);
    const shown = await own.textContent();
    await mel.page.reload();
    await expect.poll(() => own.textContent()).toBe(shown);
    await ada.page.reload();
    await other.getByRole('button', { name: '0 votes for here', pressed: false }).waitFor();
  },
);

inChromium('a list of tasks is made, ticked off and added to', async () => {
  const story = await opened();
  const { page } = await story.at('Mel Member');
  await say(story.server, story.people.ada, HERE, '/todo Friday\nbook: for six');
  await toLunch(page);
  const list = page.getByRole('region', { name: 'To-do list' });
  await list.getByRole('checkbox', { name: 'book' }).press('Space');
  await list.getByText('1 of 1 done').waitFor();
  await list.getByRole('textbox', { name: 'Another task' }).fill('print: in colour');
  await page.keyboard.press('Enter');
  await list.getByText('1 of 2 done').waitFor();
  await list.getByText('in colour').waitFor();
  expect(await list.getByRole('checkbox', { name: 'book' }).isChecked()).toBe(true);
  expect(await list.getByRole('button', { name: 'Change the title' }).count()).toBe(0);
  expect(await findingsOn(page)).toEqual([]);
});

inChromium('snippets are kept for all browsers, and put where the cursor is', async () => {
  const story = await opened();
  const { page } = await story.at('Mel Member');
  await toLunch(page);
  await choose(page, 'Snippets');
  await dialog(page).getByRole('button', { name: 'New snippet' }).click();
  await dialog(page).getByLabel('Title').fill('Greeting');
  await dialog(page).getByLabel('Text').fill('Hello, all');
  await dialog(page).getByRole('button', { name: 'Save' }).click();
  await dialog(page).getByText('Hello, all').waitFor();
  // Another browser of the same account changes it.
  const { body } = await story.server.get(story.people.mel, '/saved_snippets');
  const [{ id }] = body.saved_snippets as [{ id: number }];
  await story.server.patch(story.people.mel, `/saved_snippets/${id}`, {
    content: 'Welcome',
  });
  await dialog(page).getByText('Welcome').waitFor();
  expect(await findingsOn(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await dialog(page).waitFor({ state: 'detached' });
  await composeField(page).fill('one two');
  await page.keyboard.press('Home');
  for (let at = 0; at < 3; at += 1) await page.keyboard.press('ArrowRight');
  await choose(page, 'Snippets');
  await dialog(page).getByRole('searchbox').fill('greet');
  await page.keyboard.press('Enter');
  await expect.poll(() => composeField(page).inputValue()).toBe('one Welcome two');
  await expect.poll(() => focused(page)).toBe('Message');
  await choose(page, 'Snippets');
  await dialog(page).getByRole('button', { name: 'Delete Greeting' }).click();
  await dialog(page)
    .getByText(/A snippet is a text/)
    .waitFor();
});

inChromium(
  'emoji are found by group, by name and by keys, and the last ones are kept',
  async () => {
    const story = await opened();
    const { page } = await story.at('Mel Member');
    await say(story.server, story.people.max, HERE, 'Soup?');
    await toLunch(page);
    await composeField(page).fill('so ');
    await page.getByRole('button', { name: 'Put in an emoji' }).click();
    await dialog(page).getByRole('button', { name: 'grinning face', exact: true }).waitFor();
    await expect.poll(() => focused(page)).toBe('Name of an emoji');
    expect(await findingsOn(page)).toEqual([]);
    // From the field down into the grid, along, and back up.
    await page.keyboard.press('ArrowDown');
    expect(await focused(page)).toBe('+1');
    await page.keyboard.press('End');
    expect(await focused(page)).toBe('thinking');
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowUp');
    expect(await focused(page)).toBe('Name of an emoji');
    await dialog(page).getByRole('tab', { name: 'Food and drink' }).click();
    await dialog(page).getByRole('button', { name: 'grapes' }).click();
    await expect.poll(() => composeField(page).inputValue()).toBe('so :grapes: ');
    const message = messageWith(page, 'Soup?');
    await message.hover();
    await message.getByRole('button', { name: 'React', exact: true }).click();
    await expect.poll(() => focused(page)).toBe('Name of an emoji');
    await page.keyboard.type('rocke');
    // All are shown until the name has been looked for, among them this one.
    const found = dialog(page).getByRole('toolbar').getByRole('button');
    await expect.poll(() => found.first().getAttribute('aria-label')).toBe('rocket');
    await page.keyboard.press('Enter');
    await message.getByRole('button', { name: /rocket by you/ }).waitFor();
    await page.reload();
    await composeField(page).waitFor();
    await page.getByRole('button', { name: 'Put in an emoji' }).click();
    await dialog(page).getByRole('button', { name: 'grapes' }).waitFor();
    await page.keyboard.press('ArrowDown');
    expect(await focused(page)).toBe('rocket');
  },
);

inChromium('a message is looked at: versions, readers, text, report, and forwarded', async () => {
  const story = await opened();
  const { server } = story;
  const { ona, max, ada } = story.people;
  const channel = await server.post(ada, '/channels/create', {
    name: 'moderation',
    invite_only: true,
    subscribers: [ada.id],
  });
  const { body: changed } = await server.patch(ona, '/realm', {
    enable_read_receipts: true,
    moderation_request_channel_id: channel.body.id,
  });
  expect(changed).toMatchObject({ result: 'success' });
  const { page, context } = await story.at('Mel Member');
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const { body } = await say(server, max, HERE, 'We meet at **noon**.');
  await server.patch(max, `/messages/${body.id}`, { content: 'We meet at **one**.' });
  await server.post(ada, '/messages/flags', { messages: [body.id], op: 'add', flag: 'read' });
  await toLunch(page);
  await act(page, 'We meet', 'Earlier versions');
  await dialog(page).locator('del').waitFor();
  await page.keyboard.press('Escape');
  await messageWith(page, 'We meet').getByRole('button', { name: 'edited' }).click();
  await dialog(page).locator('del').getByText('noon').waitFor();
  await dialog(page).locator('ins').getByText('one').waitFor();
  expect(await findingsOn(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await act(page, 'We meet', 'Who has read it');
  await dialog(page).getByText('Ada Administrator').waitFor();
  expect(await findingsOn(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await act(page, 'We meet', 'Copy text');
  await page.getByText('The text is copied').waitFor();
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe('We meet at **one**.');
  await act(page, 'We meet', 'Report');
  await dialog(page).getByLabel('What is wrong with it').selectOption('other');
  await dialog(page).getByLabel('What the moderators should know').fill('It was two.');
  expect(await findingsOn(page)).toEqual([]);
  await dialog(page).getByRole('button', { name: 'Report' }).click();
  await page.getByText('The moderators have been told.').waitFor();
  await act(page, 'We meet', 'Forward');
  await page.getByRole('combobox', { name: 'Forward to' }).fill('Gus');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Gus Guest' }).waitFor();
  await expect
    .poll(() => composeField(page).inputValue())
    .toMatch(
      /^@_\*\*Max Member\|\d+\*\* \[said\]\(#narrow\/.*\):\n```quote\nWe meet at \*\*one\*\*\.\n```\n$/,
    );
});

inChromium(
  'code is opened where it runs, long texts are folded, and one sees who changes what',
  async () => {
    const story = await opened();
    const { server } = story;
    const { ada, max } = story.people;
    await server.post(ada, '/realm/playgrounds', {
      name: 'Playground',
      pygments_language: 'Rust',
      url_template: 'https://play.example.com/?v=1{&code}',
    });
    await say(server, max, HERE, '```rust\nlet a = "1 & 2";\n```');
    await say(server, max, HERE, Array.from({ length: 60 }, (_, at) => `line ${at}`).join('\n'));
    await say(server, max, HERE, '/me waves');
    const { body } = await say(server, max, HERE, 'Soup');
    const { page } = await story.at('Mel Member');
    await toLunch(page);
    await messageWith(page, 'Soup').waitFor();
    const links = page.getByRole('link', { name: 'Try it in Playground' });
    expect(await links.getAttribute('href')).toBe(
      'https://play.example.com/?v=1&code=let%20a%20%3D%20%221%20%26%202%22%3B%0A',
    );
    expect(await links.getAttribute('rel')).toBe('noopener noreferrer');
    // A change of the administrators is there without a reload.
    await server.post(ada, '/realm/playgrounds', {
      name: 'Other',
      pygments_language: 'Rust',
      url_template: 'https://other.example.com/{code}',
    });
    await page.getByRole('link', { name: 'Try it in Other' }).waitFor();
    expect(await messageWith(page, 'waves').locator('.body').textContent()).toBe('waves');
    const long = messageWith(page, 'line 0');
    const height = async () => (await long.boundingBox())?.height ?? 0;
    expect(await height()).toBeLessThan(640);
    await long.getByRole('button', { name: 'Show more' }).click();
    await expect.poll(height).toBeGreaterThan(1_000);
    await server.post(max, `/messages/${body.id}/typing`, { op: 'start' });
    await page.getByText('Max Member is changing this message').waitFor();
    expect(await findingsOn(page)).toEqual([]);
    await server.post(max, `/messages/${body.id}/typing`, { op: 'stop' });
    await page.getByText('Max Member is changing this message').waitFor({ state: 'detached' });
  },
);

inChromium('pictures are looked at one after another by keys', async () => {
  const story = await opened();
  const { server } = story;
  const { mel, max } = story.people;
  for (const [name, color] of [
    ['first.png', '#a22'],
    ['second.png', '#22a'],
  ] as const) {
    const content = await png(640, 400, color);
    const url = await uploaded(server, max, { content, filename: name, contentType: 'image/png' });
    await say(server, max, HERE, `[${name}](${url})`);
  }
  const { page } = await story.at(mel.fullName);
  await toLunch(page);
  await page.locator('.message_inline_image a').first().click();
  await dialog(page).getByText('1 of 2').waitFor();
  const source = () => dialog(page).locator('.picture-room img').getAttribute('src');
  expect(await source()).toMatch(/first\.png$/);
  await page.keyboard.press('ArrowRight');
  await dialog(page).getByText('2 of 2').waitFor();
  expect(await source()).toMatch(/second\.png$/);
  expect(await findingsOn(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await dialog(page).waitFor({ state: 'detached' });
  await page.getByRole('heading', { level: 1, name: 'lunch' }).waitFor();
});

inChromium(
  'a file that is on its way goes on after a reload, once, and stays paused if it was',
  async () => {
    const story = await opened();
    const { page, context } = await story.at('Mel Member');
    await toLunch(page);
    await composeField(page).fill('The menu');
    // The line breaks with the third part.
    let parts = 0;
    await context.route('**/api/v1/tus/**', async (route) => {
      if (route.request().method() === 'PATCH') parts += 1;
      if (parts > 2) await route.abort();
      else await route.continue();
    });
    await page.locator('input[type=file]').setInputFiles({
      name: 'menu.bin',
      mimeType: 'application/octet-stream',
      buffer: Buffer.alloc(2_000_000, 'soup '),
    });
    await page.getByText('waiting for the connection').waitFor();
    await page.getByRole('button', { name: 'Pause menu.bin' }).click();
    await page.getByText('paused', { exact: true }).waitFor();
    const asked: string[] = [];
    await context.unroute('**/api/v1/tus/**');
    context.on('request', (request) => {
      if (request.url().includes('/api/v1/tus')) asked.push(request.method());
    });
    await page.reload();
    await page.getByText('paused', { exact: true }).waitFor();
    await expect.poll(() => composeField(page).inputValue()).toBe('The menu');
    // A second tab leaves it to the first one.
    const other = await context.newPage();
    await other.goto(`${story.origin}/${LUNCH}`);
    await composeField(other).waitFor();
    await page.getByRole('button', { name: 'Go on' }).click();
    await expect
      .poll(() => composeField(page).inputValue())
      .toMatch(/^The menu\n\[menu\.bin\]\(\/user_uploads\/.*\)\n?$/);
    expect(asked.filter((method) => method === 'POST')).toEqual([]);
    expect(asked.filter((method) => method === 'PATCH')).toHaveLength(2);
    await page.reload();
    await expect.poll(() => composeField(page).inputValue()).toMatch(/user_uploads/);
    const { body } = await story.server.get(story.people.mel, '/attachments');
    expect(body.attachments).toMatchObject([{ size: 2_000_000 }]);
    // If the reload came before the file was forgotten, the second tab finishes it.
    for (const tab of [page, other]) {
      await expect.poll(() => tab.locator('.attachments').count()).toBe(0);
    }
  },
);
