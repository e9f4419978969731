import { expect, test } from 'vitest';
import { CHROMIUM } from '../../support/pages/browser.ts';
import { expectAsFresh } from '../../support/pages/shown.ts';
import { composeField, messageWith, openStory, send, textsIn } from '../../support/pages/story.ts';
import { follow } from '../../support/pages/web-client.ts';

const inChromium = test.skipIf(CHROMIUM === null);

inChromium('two people talk: a newcomer writes, another one reads and answers', async () => {
  const { server, at } = await openStory();
  const mel = await at('Mel Member');
  const max = await at('Max Member');

  // Mel finds the channel in the left column, and begins a topic.
  const left = mel.page.getByRole('navigation', { name: 'Conversations' });
  await left.getByRole('link', { name: 'general', exact: true }).click();
  await mel.page.getByLabel('Topic', { exact: true }).fill('lunch');
  await composeField(mel.page).pressSequentially('Soup at noon');
  await send(mel.page, 'Soup at noon?');
  await messageWith(mel.page, 'Soup at noon?').waitFor();

  // Max has it in the Inbox, sees Mel writing, and answers.
  await max.page.getByRole('main').getByRole('link', { name: 'lunch 1 unread' }).click();
  await messageWith(max.page, 'Soup at noon?').waitFor();
  await follow(mel.page, '#narrow/channel/1-general/topic/lunch');
  await composeField(mel.page).pressSequentially('With bre');
  await max.page.getByText('Mel Member is writing').waitFor();
  await send(mel.page, 'With bread');
  await messageWith(max.page, 'With bread').waitFor();
  await max.page.getByText('Mel Member is writing').waitFor({ state: 'detached' });
  await send(max.page, 'Yes, and **cheese**');
  await messageWith(mel.page, 'Yes, and cheese').locator('strong').waitFor();

  await expectAsFresh(mel, server, mel.person);
  await expectAsFresh(max, server, max.person);
  expect(await textsIn(server, mel.person, ['general', 'lunch'])).toEqual([
    'Soup at noon?',
    'With bread',
    'Yes, and **cheese**',
  ]);
});

inChromium(
  'what one does to messages, the other sees: reaction, edit, file, move, end',
  async () => {
    const { server, at } = await openStory();
    const mel = await at('Mel Member');
    const max = await at('Max Member');
    for (const { page } of [mel, max]) await follow(page, '#narrow/channel/1-general/topic/lunch');
    for (const text of ['Soup?', 'Wrong window', 'Bring spoons']) await send(mel.page, text);
    const soup = messageWith(max.page, 'Soup?');
    await soup.hover();
    await soup.getByRole('button', { name: 'React with' }).click();
    await messageWith(mel.page, 'Soup?').locator('.reaction .count').waitFor();

    // The last message is edited by the arrow, and a file goes into another one.
    await composeField(mel.page).click();
    await mel.page.keyboard.press('ArrowUp');
    await mel.page.getByRole('textbox', { name: 'The text of the message' }).fill('Bring a spoon');
    await mel.page.keyboard.press('Control+Enter');
    await messageWith(max.page, 'Bring a spoon').getByText('edited').waitFor();
    await mel.page.locator('input[type=file]').setInputFiles({
      name: 'menu.txt',
      mimeType: 'text/plain',
      buffer: Buffer.from('soup, bread'),
    });
    await expect.poll(() => composeField(mel.page).inputValue()).toContain('/user_uploads/');
    await mel.page.getByRole('button', { name: 'Send' }).click();
    const link = messageWith(max.page, 'menu.txt').getByRole('link', { name: 'menu.txt' });
    const fileAt = await link.getAttribute('href');
    const file = await max.page.evaluate(
      `fetch(${JSON.stringify(fileAt)}).then((got) => got.text())`,
    );
    expect(file).toBe('soup, bread');

    const wrong = messageWith(mel.page, 'Wrong window');
    await wrong.hover();
    await wrong.getByRole('button', { name: 'More' }).click();
    await mel.page.getByRole('menuitem', { name: 'Delete' }).click();
    await mel.page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await messageWith(max.page, 'Wrong window').waitFor({ state: 'detached' });

    // The topic is moved, and what was read stays read where it goes.
    await messageWith(mel.page, 'Soup?').hover();
    await messageWith(mel.page, 'Soup?').getByRole('button', { name: 'More' }).click();
    await mel.page.getByRole('menuitem', { name: 'Move messages' }).click();
    const dialog = mel.page.getByRole('dialog');
    await dialog.getByLabel('Topic', { exact: true }).fill('dinner');
    await dialog.getByLabel('the whole topic').check();
    await dialog.getByRole('button', { name: 'Move' }).click();
    await messageWith(max.page, 'Soup?').waitFor({ state: 'detached' });
    await follow(max.page, '#narrow/channel/1-general/topic/dinner');
    await messageWith(max.page, 'Soup?').waitFor();
    await messageWith(max.page, 'Bring a spoon').waitFor();
    expect((await textsIn(server, mel.person, ['general', 'dinner'])).slice(0, 2)).toEqual([
      'Soup?',
      'Bring a spoon',
    ]);
    expect(await textsIn(server, mel.person, ['general', 'lunch'])).toEqual([]);
    await expectAsFresh(mel, server, mel.person);
    await expectAsFresh(max, server, max.person);
  },
);
