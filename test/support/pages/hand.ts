import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';

/** The ways in which people act on a page: a story is told once for all of them. */
export interface Hand {
  /** Activates a button or a link. */
  press(control: Locator): Promise<void>;
  /** Writes a text in place of what is in a field. */
  fill(field: Locator, text: string): Promise<void>;
  /** Adds a text to a field, key by key. */
  type(field: Locator, text: string): Promise<void>;
  /** Ticks a box, or chooses one of several radio buttons. */
  tick(choice: Locator): Promise<void>;
  /** Goes to what has this name, by the palette. */
  goTo(name: string): Promise<void>;
  /** Takes an item of an open menu. */
  select(item: Locator): Promise<void>;
  /** Agrees with a message. */
  agree(message: Locator): Promise<void>;
  /** Chooses from all that can be done to a message. */
  choose(message: Locator, act: string): Promise<void>;
  /** Puts a file into the field where one writes. */
  attach(file: { readonly name: string; readonly text: string }): Promise<void>;
}

/** Acts with a pointer, and writes with the keys. */
export function byPointer(page: Page): Hand {
  return {
    press: (control) => control.click(),
    fill: (field, text) => field.fill(text),
    type: (field, text) => field.pressSequentially(text),
    tick: (choice) => choice.check(),
    async goTo(name) {
      await page.getByRole('button', { name: 'Go to' }).filter({ visible: true }).first().click();
      await paletteOf(page).fill(name);
      await optionOf(page, name).click();
    },
    select: (item) => item.click(),
    async agree(message) {
      await pressTool(message, 'React with');
    },
    async choose(message, act) {
      await pressTool(message, 'More');
      await page.getByRole('menuitem', { name: act }).click();
    },
    attach: (file) => choosing(page, file, () => attachOf(page).click()),
  };
}

/** A message that moves away from the pointer is pointed at again after this time. */
const POINT_MS = 3_000;

/** Points at a message and presses one of its tools, which are there while it is pointed at. */
async function pressTool(message: Locator, name: string): Promise<void> {
  for (let left = 10; ; left--) {
    await message.hover();
    try {
      await message.getByRole('button', { name }).click({ timeout: POINT_MS });
      return;
    } catch (error) {
      if (left === 0) throw error;
    }
  }
}

/** Acts with the keys alone; the page never sees a pointer. */
export function byKeys(page: Page): Hand {
  const { keyboard } = page;
  const select = async (item: Locator) => {
    await item.waitFor();
    await pressUntil(page, 'ArrowDown', () => hasFocus(item));
    await keyboard.press('Enter');
  };
  return {
    async press(control) {
      await tabTo(page, control);
      await keyboard.press('Enter');
    },
    async fill(field, text) {
      await tabTo(page, field);
      await keyboard.press('Control+a');
      if (text === '') await keyboard.press('Delete');
      else await keyboard.type(text);
    },
    async type(field, text) {
      await tabTo(page, field);
      await keyboard.press('Control+End');
      await keyboard.type(text);
    },
    async tick(choice) {
      if (await choice.isChecked()) return;
      await tabToGroup(page, choice);
      if ((await choice.getAttribute('type')) === 'checkbox') await keyboard.press('Space');
      // An arrow goes to the next radio button of the group, and chooses it.
      else await pressUntil(page, 'ArrowDown', () => choice.isChecked());
    },
    async goTo(name) {
      await keyboard.press('Control+k');
      await paletteOf(page).waitFor();
      await keyboard.type(name);
      const option = optionOf(page, name);
      await option.waitFor();
      await pressUntil(
        page,
        'ArrowDown',
        async () => (await option.getAttribute('aria-selected')) === 'true',
      );
      await keyboard.press('Enter');
    },
    select,
    async agree(message) {
      await toMessage(page, message);
      await keyboard.press('+');
    },
    async choose(message, act) {
      await toMessage(page, message);
      await keyboard.press('i');
      await select(page.getByRole('menuitem', { name: act }));
    },
    attach: (file) =>
      choosing(page, file, async () => {
        await tabTo(page, attachOf(page));
        await keyboard.press('Enter');
      }),
  };
}

const paletteOf = (page: Page) =>
  page.getByRole('combobox', { name: 'Channel, topic, person or view' });

/** The name of an option has where it is, and what is unread there, after the name itself. */
const optionOf = (page: Page, name: string) =>
  page
    .getByRole('option')
    .filter({ has: page.getByText(name, { exact: true }) })
    .first();

const attachOf = (page: Page) => page.getByRole('button', { name: 'Attach files' });

/** Answers the dialog of the browser, which belongs to no page, so that neither hand reaches it. */
async function choosing(
  page: Page,
  { name, text }: Parameters<Hand['attach']>[0],
  ask: () => Promise<void>,
) {
  const [chooser] = await Promise.all([page.waitForEvent('filechooser'), ask()]);
  await chooser.setFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(text) });
}

/** More than there are on the way anywhere. */
const STOPS_MAX = 120;

const hasFocus = (element: Locator) => element.evaluate((one) => one === document.activeElement);

/** Goes on by the Tab key until the element has the focus. */
export async function tabTo(page: Page, element: Locator): Promise<void> {
  await element.waitFor();
  await pressUntil(page, 'Tab', () => hasFocus(element));
}

/** Goes on to a box, or to its group: the Tab key reaches one radio button of those together. */
async function tabToGroup(page: Page, choice: Locator): Promise<void> {
  await choice.waitFor();
  await pressUntil(page, 'Tab', () =>
    choice.evaluate((one: HTMLInputElement) => {
      const at = document.activeElement as HTMLInputElement | null;
      return one === at || (one.type === 'radio' && at?.name === one.name && at.name !== '');
    }),
  );
}

/** Goes from message to message, from the last one upwards. */
async function toMessage(page: Page, message: Locator): Promise<void> {
  await message.waitFor();
  // Letters in a field are letters.
  await pressUntil(
    page,
    'Tab',
    async () => !(await page.evaluate("document.activeElement.matches('input, textarea, select')")),
  );
  await page.keyboard.press('End');
  await pressUntil(page, 'k', async () => {
    // The focus follows with the next frame.
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done)))');
    return hasFocus(message);
  });
}

async function pressUntil(page: Page, key: string, isThere: () => Promise<boolean>) {
  const met: string[] = [];
  for (let stop = 0; stop < STOPS_MAX; stop += 1) {
    if (await isThere()) return;
    await page.keyboard.press(key);
    met.push(String(await page.evaluate(NAME_OF_FOCUSED)));
  }
  expect.fail(`the key ${key} does not reach what is looked for, but ${met.join(' | ')}`);
}

const NAME_OF_FOCUSED = `(({ activeElement: at }) =>
  (at?.getAttribute('aria-label') ?? at?.textContent ?? '').replace(/\\s+/g, ' ').trim().slice(0, 40))(document)`;
