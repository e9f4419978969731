import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { findingsOn } from '../../support/pages/accessibility.ts';
import { CHROMIUM } from '../../support/pages/browser.ts';
import { enter, follow, loggedIn } from '../../support/pages/web-client.ts';

const inChromium = test.skipIf(CHROMIUM === null);

const heldBy = (page: Page, label: string) =>
  page.locator('.held').filter({ hasText: label }).locator('dd');

inChromium('rights over a group go to a group, and to some people; others read them', async () => {
  const { page, browser, origin, server, people, faults } = await loggedIn('Ona Owner');
  const made = await server.post(people.ona, '/user_groups/create', {
    name: 'cooks',
    description: '',
    members: [people.ona.id],
  });
  const { group_id: groupId } = made.body as { group_id: number };
  await follow(page, '#organization/groups');
  const other = await (await browser.newContext()).newPage();
  await other.goto(origin);
  await enter(other, 'Mel Member');
  await follow(other, '#organization/groups');
  await page.getByRole('button', { name: 'Rights of cooks' }).click();
  await other.getByRole('button', { name: 'Rights of cooks' }).click();
  const dialog = page.getByRole('dialog', { name: 'Rights of @cooks' });

  // Mel does not change the group, and reads who does.
  await other.getByText('Those who may change the group can change this.').waitFor();
  expect(await other.getByRole('dialog').getByRole('combobox').count()).toBe(0);
  expect(await heldBy(other, 'Who may change the group').textContent()).toBe('Ona Owner');
  expect(await findingsOn(other)).toEqual([]);

  await dialog.getByLabel('Who may join by themselves').selectOption('All members');
  await dialog.getByText('Saved').waitFor();
  await expect.poll(() => heldBy(other, 'Who may join').textContent()).toBe('All members');

  await dialog.getByLabel('Who may mention it').selectOption('Some people …');
  await dialog.getByRole('button', { name: /^Leave Everybody/ }).click();
  for (const name of ['cooks', 'ada']) {
    await dialog.getByRole('combobox', { name: 'People and groups' }).fill(name);
    await page.keyboard.press('Enter');
  }
  expect(await findingsOn(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Save', exact: true }).click();
  await dialog.getByText('cooks, Ada Administrator').waitFor();
  await expect
    .poll(() => heldBy(other, 'Who may mention it').textContent())
    .toBe('cooks, Ada Administrator');

  // The group of nobody is not among some people.
  await dialog.getByLabel('Who may join by themselves').selectOption('Nobody');
  await expect.poll(() => heldBy(other, 'Who may join').textContent()).toBe('Nobody');
  await dialog.getByLabel('Who may join by themselves').selectOption('Some people …');
  await dialog.getByRole('combobox', { name: 'People and groups' }).waitFor();
  expect(await dialog.locator('.chip').count()).toBe(0);
  expect(await dialog.getByRole('button', { name: 'Save', exact: true }).isDisabled()).toBe(true);
  await dialog.getByRole('button', { name: 'Cancel' }).click();

  // Mel gets the right, and has the fields at once, in the same dialog.
  await dialog.getByRole('button', { name: /^Change these people: Who may change/ }).click();
  await dialog.getByRole('combobox', { name: 'People and groups' }).fill('mel m');
  await page.keyboard.press('Enter');
  await dialog.getByRole('button', { name: 'Save', exact: true }).click();
  await other.getByRole('dialog').getByLabel('Who may join by themselves').waitFor();
  await other.keyboard.press('Escape');
  await other.getByRole('button', { name: 'Change cooks' }).waitFor();
  expect(await findingsOn(other)).toEqual([]);

  const groups = (await server.get(people.mel, '/user_groups')).body['user_groups'];
  expect(groups).toContainEqual(
    expect.objectContaining({
      id: groupId,
      can_mention_group: { direct_members: [people.ada.id], direct_subgroups: [groupId] },
      can_manage_group: {
        direct_members: [people.ona.id, people.mel.id].toSorted((a, b) => a - b),
        direct_subgroups: [],
      },
    }),
  );
  expect(faults).toEqual([]);
});

inChromium('the dialog of rights is left by keys, and says when its group is gone', async () => {
  const { page, server, people, faults } = await loggedIn('Ona Owner', { width: 390, height: 800 });
  const made = await server.post(people.ona, '/user_groups/create', {
    name: 'cooks',
    description: '',
    members: [people.ona.id],
  });
  const { group_id: groupId } = made.body as { group_id: number };
  await follow(page, '#organization/groups');
  const button = page.getByRole('button', { name: 'Rights of cooks' });
  await button.focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Who may leave by themselves').waitFor();
  expect(await findingsOn(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  expect(await button.evaluate((one) => one === document.activeElement)).toBe(true);
  await page.keyboard.press('Enter');
  await dialog.getByLabel('Who may leave by themselves').waitFor();
  await server.post(people.ona, `/user_groups/${groupId}/deactivate`);
  await dialog.getByText('This group is not there any more.').waitFor();
  expect(faults).toEqual([]);
});
