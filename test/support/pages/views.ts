import type { Page } from 'playwright-core';
import type { Lively } from './lively.ts';
import { follow } from './web-client.ts';

/** Something that the web client shows: a view, a part of one, a dialog or a menu. */
export interface View {
  /** The name of its pictures. */
  readonly name: string;
  /** False for what stands over a view; the page is loaded again after it. */
  readonly isPage: boolean;
  /** Shows it on a page that somebody is logged in at, and waits until it is there. */
  show(page: Page, lively: Lively): Promise<void>;
}

const page = (
  name: string,
  hash: string | ((lively: Lively) => string),
  heading: string,
): View => ({
  name,
  isPage: true,
  async show(tab, lively) {
    await follow(tab, typeof hash === 'string' ? hash : hash(lively));
    await tab.getByRole('heading', { level: 1, name: heading }).waitFor();
    await tab.locator('.middle > .scroll > *, .feed-row, .feed-empty').first().waitFor();
  },
});

const topic = (channel: string, name: string) => (lively: Lively) =>
  `#narrow/channel/${lively.channels[channel]}-${channel.replaceAll(' ', '-')}/topic/${name.replaceAll(' ', '.20')}`;

const PROFILE = topic('design', 'elevation profile');

/** The views that have an address of their own. */
const PAGES: readonly View[] = [
  page('inbox', '#inbox', 'Inbox'),
  page('recent', '#recent', 'Recent conversations'),
  page('drafts', '#drafts', 'Drafts'),
  page('channels', '#channels', 'Channels'),
  page('settings', '#settings', 'Settings'),
  page('organization', '#organization', 'Organization'),
  page('welcome', '#welcome', 'Welcome'),
  page('all', '#feed', 'All messages'),
  page('mentions', '#narrow/is/mentioned', 'Mentions'),
  page('starred', '#narrow/is/starred', 'Starred messages'),
  page('search', '#narrow/search/profile', 'Search'),
  page('nothing', '#narrow/search/zeppelin', 'Search'),
  page('topics', ({ channels }) => `#topics/channel/${channels['maps']}`, 'Topics'),
  page('widgets', topic('kitchen', 'cake on Friday'), 'cake on Friday'),
  page('channel', ({ channels }) => `#narrow/channel/${channels['maps']}-maps`, 'maps'),
  page('topic', PROFILE, 'elevation profile'),
  page('archived', topic('spring ride', 'the route'), 'the route'),
  page('unknown', '#narrow/channel/9999-gone', 'Unknown channel'),
  page('table', topic('maps', 'gravel roads in the north'), 'gravel roads in the north'),
  page('empty', topic('kitchen', 'lunch today'), 'lunch today'),
  page('dm', ({ team }) => `#narrow/dm/${team.max.id}-Max`, 'Max Weber'),
  page('group', ({ team }) => `#narrow/dm/${team.ona.id},${team.mia.id}-group`, 'Olivia Strand'),
];

interface Over {
  readonly at?: (lively: Lively) => string;
  /** Opens it. */
  open(page: Page, lively: Lively): Promise<void>;
  /** Something in it. */
  readonly shown: (page: Page) => ReturnType<Page['locator']>;
}

const over = (name: string, { at = PROFILE, open, shown }: Over): View => ({
  name,
  isPage: false,
  async show(tab, lively) {
    await follow(tab, at(lively));
    await tab.locator('.middle > .scroll > *, .feed-row').first().waitFor();
    await open(tab, lively);
    await shown(tab).first().waitFor();
  },
});

const dialog = (tab: Page) => tab.getByRole('dialog');
const menu = (tab: Page) => tab.getByRole('menu');
const options = (tab: Page) => tab.locator('[role=option]');

/** Opens a menu by its button, and takes an item of it. */
const ofMenu = (button: string | RegExp, item: string) => async (tab: Page) => {
  await press(button)(tab);
  await tab.getByRole('menuitem', { name: item }).click();
};

/** Opens the settings of a channel at one of their tabs. */
const ofChannel = (name: string | RegExp) => async (tab: Page) => {
  await press('Settings of design')(tab);
  await dialog(tab).getByRole('tab', { name }).click();
};

/** Opens the menu of a message by its beginning, and takes one of its acts if there is one. */
const ofMessage = (beginning: string, act?: string) => async (tab: Page, lively: Lively) => {
  const message = tab.locator(`article[data-id="${lively.messageId(beginning)}"]`);
  await message.hover();
  await message.getByRole('button', { name: 'More' }).click();
  if (act !== undefined) await tab.getByRole('menuitem', { name: act }).click();
};

const ofPlace = (act?: RegExp) => async (tab: Page) => {
  await tab.getByRole('button', { name: /^Acts on/ }).click();
  if (act !== undefined) await tab.getByRole('menu').getByText(act).click();
};

const written = (text: string) => async (tab: Page) => {
  const field = tab.getByRole('textbox', { name: 'Message', exact: true });
  // A text that was begun before is there as a draft.
  await field.fill('');
  await tab.keyboard.type(text);
};

const press = (name: string | RegExp) => async (tab: Page) => {
  await tab.getByRole('button', { name }).filter({ visible: true }).first().click();
};

const TABLE = topic('maps', 'gravel roads in the north');
const TWO_THIRDS = 'About two thirds';
const SETTINGS = () => '#settings';
const CHANNELS = () => '#channels';

/** Dialogs about a message, and for what is put into one. */
const OF_MESSAGES: readonly View[] = [
  over('message-menu', { open: ofMessage('Good points'), shown: menu }),
  over('reminder', { open: ofMessage('Good points', 'Remind me of it'), shown: dialog }),
  over('move-messages', { open: ofMessage('Good points', 'Move messages'), shown: dialog }),
  over('delete', { open: ofMessage('Yes, and the number', 'Delete'), shown: dialog }),
  over('edit', {
    open: ofMessage('Yes, and the number', 'Edit'),
    shown: (tab) => tab.getByRole('textbox', { name: 'The text of the message' }),
  }),
  over('versions', {
    at: TABLE,
    open: ofMessage(TWO_THIRDS, 'Earlier versions'),
    shown: (tab) => dialog(tab).locator('ins'),
  }),
  over('readers', {
    at: TABLE,
    open: ofMessage(TWO_THIRDS, 'Who has read it'),
    shown: (tab) => dialog(tab).getByText('Noor Haddad'),
  }),
  over('report', {
    open: ofMessage('Good points', 'Report'),
    shown: (tab) => dialog(tab).getByLabel('What is wrong with it'),
  }),
  over('forward', {
    open: ofMessage('Good points', 'Forward'),
    shown: (tab) => tab.getByRole('combobox', { name: 'Forward to' }),
  }),
  over('picture', {
    open: (tab) => tab.locator('.message_inline_image a').first().click(),
    shown: (tab) => dialog(tab).locator('.picture-room img'),
  }),
  over('new-poll', { open: ofMenu('More to put in', 'New poll'), shown: dialog }),
  over('new-todo', { open: ofMenu('More to put in', 'New to-do list'), shown: dialog }),
  over('snippets', { open: ofMenu('More to put in', 'Snippets'), shown: dialog }),
  over('new-snippet', {
    async open(tab) {
      await ofMenu('More to put in', 'Snippets')(tab);
      await dialog(tab).getByRole('button', { name: 'New snippet' }).click();
    },
    shown: (tab) => dialog(tab).getByLabel('Title'),
  }),
  over('scheduled', { at: () => '#drafts', open: press(/^Change: Happy/), shown: dialog }),
];

/** Dialogs about channels, about the organization and about the account. */
const OF_PLACES: readonly View[] = [
  over('channel-settings', { at: CHANNELS, open: press('Settings of design'), shown: dialog }),
  over('channel-people', {
    at: CHANNELS,
    open: ofChannel(/^People/),
    shown: (tab) => dialog(tab).getByRole('searchbox'),
  }),
  over('channel-for-all', {
    at: CHANNELS,
    open: ofChannel('For everybody'),
    shown: (tab) => dialog(tab).getByLabel('Folder'),
  }),
  over('channel-rights', {
    at: CHANNELS,
    open: ofChannel('Who may do what'),
    shown: (tab) => dialog(tab).getByLabel('Who may write'),
  }),
  over('channel-for-some', {
    at: CHANNELS,
    async open(tab) {
      await ofChannel('Who may do what')(tab);
      await dialog(tab).getByLabel('Who may write').selectOption('Some people …');
    },
    shown: (tab) => dialog(tab).getByRole('combobox', { name: 'People and groups' }),
  }),
  over('new-channel', { at: CHANNELS, open: press('New channel'), shown: dialog }),
  over('folders', { at: CHANNELS, open: press('Folders'), shown: dialog }),
  over('archive', {
    at: CHANNELS,
    open: press('Archived'),
    shown: (tab) => tab.getByRole('link', { name: 'spring ride' }),
  }),
  over('topic-acts', {
    at: ({ channels }) => `#topics/channel/${channels['maps']}`,
    open: press(/^Acts on wrong turn/),
    shown: menu,
  }),
  over('delete-topic', { open: ofPlace(/Delete the topic/), shown: dialog }),
  over('new-group', {
    at: () => '#organization/groups',
    open: press('New group'),
    shown: dialog,
  }),
  over('group-rights', {
    at: () => '#organization/groups',
    open: press('Rights of guides'),
    shown: (tab) => dialog(tab).getByLabel('Who may mention it'),
  }),
  over('new-pattern', {
    at: () => '#organization/links',
    open: press('Add a pattern'),
    shown: dialog,
  }),
  over('new-field', {
    at: () => '#organization/profile-fields',
    open: press('New field'),
    shown: dialog,
  }),
  over('new-passkey', {
    at: () => '#settings/security',
    open: press('Add a passkey …'),
    shown: (tab) => dialog(tab).getByLabel('Your password'),
  }),
  over('leave', {
    at: () => '#settings/security',
    open: press(/^Deactivate your account/),
    shown: dialog,
  }),
];

/** Dialogs, menus and completions, which stand over a view. */
const OVER: readonly View[] = [
  ...OF_MESSAGES,
  ...OF_PLACES,
  over('palette', {
    open: async (tab) => {
      await tab.keyboard.press('Control+k');
      await tab.getByRole('combobox', { name: /^Channel, topic/ }).fill('ma');
    },
    shown: options,
  }),
  over('keys', { at: () => '#inbox', open: (tab) => tab.keyboard.press('?'), shown: dialog }),
  over('menu', { at: () => '#inbox', open: press('Menu'), shown: menu }),
  over('topic-menu', { open: ofPlace(), shown: menu }),
  over('channel-menu', {
    at: ({ channels }) => `#narrow/channel/${channels['maps']}-maps`,
    open: ofPlace(),
    shown: menu,
  }),
  over('move-topic', { open: ofPlace(/move the topic/), shown: dialog }),
  over('emoji', {
    open: async (tab, lively) => {
      const message = tab.locator(`article[data-id="${lively.messageId('Good points')}"]`);
      await message.hover();
      await message.getByRole('button', { name: 'React', exact: true }).click();
    },
    shown: dialog,
  }),
  over('put-in-emoji', { open: press('Put in an emoji'), shown: dialog }),
  over('profile', {
    open: async (tab) => {
      await tab.getByRole('article').getByRole('button', { name: 'Yuki Tanaka' }).first().click();
    },
    shown: dialog,
  }),
  over('group-card', {
    at: topic('community', 'group ride in March'),
    open: (tab) => tab.getByRole('article').getByText('@guides').click(),
    shown: dialog,
  }),
  over('invite', { at: () => '#inbox', open: ofMenu('Menu', 'Invite people'), shown: dialog }),
  over('status', { at: SETTINGS, open: press('Set a status'), shown: dialog }),
  over('completion', { open: written('Ask @'), shown: options }),
  over('search-completion', {
    open: async (tab) => {
      await tab.getByRole('combobox', { name: 'Search' }).fill('sender:');
    },
    shown: options,
  }),
  over('preview', {
    open: async (tab) => {
      await written('The **width** follows from the *grade*')(tab);
      await press('Preview')(tab);
    },
    shown: (tab) => tab.locator('.compose-preview'),
  }),
];

/** All that somebody who is logged in can look at; `test/web/pages/every-view` holds it whole. */
export const VIEWS: readonly View[] = [...PAGES, ...OVER];
