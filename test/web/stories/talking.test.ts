import { expect } from 'vitest';
import { inBrowsers } from '../../support/pages/in-browsers.ts';
import {
  composeField,
  messageWith,
  type Participant,
  send,
  textsIn,
} from '../../support/pages/story.ts';

inBrowsers('two people talk: a newcomer writes, another one reads and answers', async (story) => {
  const { server, at } = story;
  const mel = await at('Mel Member');
  const max = await at('Max Member');

  // Mel finds the channel in the left column, and begins a topic.
  const left = mel.page.getByRole('navigation', { name: 'Conversations' });
  await mel.hand.press(left.getByRole('link', { name: 'general', exact: true }));
  await mel.hand.fill(mel.page.getByLabel('Topic', { exact: true }), 'lunch');
  await mel.hand.type(composeField(mel.page), 'Soup at noon');
  await send(mel, 'Soup at noon?');
  await messageWith(mel.page, 'Soup at noon?').waitFor();

  // Max has it in the Inbox, sees Mel writing, and answers.
  const unread = max.page.getByRole('main').getByRole('link', { name: 'lunch 1 unread' });
  await max.hand.press(unread);
  await messageWith(max.page, 'Soup at noon?').waitFor();
  await toTopic(mel, 'lunch');
  await mel.hand.type(composeField(mel.page), 'With bre');

  await max.page.getByText('Mel Member is writing').waitFor();
  await send(mel, 'With bread');
  await messageWith(max.page, 'With bread').waitFor();
  await max.page.getByText('Mel Member is writing').waitFor({ state: 'detached' });
  await send(max, 'Yes, and **cheese**');
  await messageWith(mel.page, 'Yes, and cheese').locator('strong').waitFor();

  expect(await textsIn(server, mel.person, ['general', 'lunch'])).toEqual([
    'Soup at noon?',
    'With bread',
    'Yes, and **cheese**',
  ]);
});

async function toTopic({ page, hand }: Participant, name: string): Promise<void> {
  await hand.goTo(name);
  await page.getByRole('heading', { level: 1, name }).waitFor();
}

inBrowsers(
  'what one does to messages, the other sees: reaction, edit, file, move, end',
  async (story) => {
    const { server, at } = story;
    const mel = await at('Mel Member');
    const max = await at('Max Member');
    await mel.hand.goTo('general');
    await mel.hand.fill(mel.page.getByLabel('Topic', { exact: true }), 'lunch');
    await send(mel, 'Soup?');
    for (const one of [mel, max]) await toTopic(one, 'lunch');
    for (const text of ['Wrong window', 'Bring spoons']) await send(mel, text);
    // Messages move up when another one comes, away from who points at them.
    await messageWith(max.page, 'Bring spoons').waitFor();
    await max.hand.agree(messageWith(max.page, 'Soup?'));
    await messageWith(mel.page, 'Soup?').locator('.reaction .count').waitFor();

    await edits(mel, 'Bring a spoon');
    await messageWith(max.page, 'Bring a spoon').getByText('edited').waitFor();
    await sendsFile(mel, 'soup, bread');
    expect(await fileSeenBy(max)).toBe('soup, bread');

    await mel.hand.choose(messageWith(mel.page, 'Wrong window'), 'Delete');
    await mel.hand.press(mel.page.getByRole('dialog').getByRole('button', { name: 'Delete' }));
    await messageWith(max.page, 'Wrong window').waitFor({ state: 'detached' });

    await moves(mel, 'dinner');
    // A message that was read stays read where it goes.
    await messageWith(max.page, 'Soup?').waitFor({ state: 'detached' });
    await toTopic(max, 'dinner');
    await messageWith(max.page, 'Soup?').waitFor();
    await messageWith(max.page, 'Bring a spoon').waitFor();
    expect((await textsIn(server, mel.person, ['general', 'dinner'])).slice(0, 2)).toEqual([
      'Soup?',
      'Bring a spoon',
    ]);
    expect(await textsIn(server, mel.person, ['general', 'lunch'])).toEqual([]);
  },
);

/** The last message is changed by the arrow, whatever the hand is. */
async function edits({ page, hand }: Participant, text: string): Promise<void> {
  await hand.fill(composeField(page), '');
  await page.keyboard.press('ArrowUp');
  await hand.fill(page.getByRole('textbox', { name: 'The text of the message' }), text);
  await page.keyboard.press('Control+Enter');
}

async function sendsFile({ page, hand }: Participant, text: string): Promise<void> {
  await hand.attach({ name: 'menu.txt', text });
  await expect.poll(() => composeField(page).inputValue()).toContain('/user_uploads/');
  await hand.press(page.getByRole('button', { name: 'Send', exact: true }));
}

async function fileSeenBy({ page }: Participant): Promise<unknown> {
  const link = messageWith(page, 'menu.txt').getByRole('link', { name: 'menu.txt' });
  const fileAt = JSON.stringify(await link.getAttribute('href'));
  return page.evaluate(`fetch(${fileAt}).then((got) => got.text())`);
}

async function moves({ page, hand }: Participant, topic: string): Promise<void> {
  await hand.choose(messageWith(page, 'Soup?'), 'Move messages');
  const dialog = page.getByRole('dialog');
  await hand.fill(dialog.getByLabel('Topic', { exact: true }), topic);
  await hand.tick(dialog.getByLabel('the whole topic'));
  await hand.press(dialog.getByRole('button', { name: 'Move' }));
}
