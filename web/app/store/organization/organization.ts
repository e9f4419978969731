/** The acts of those who run an organization. */
import type { Contents } from '@confab/client/store';
import { isAdministrator, roleName } from '../account/rights.ts';
import { app } from '../app.ts';

export interface Member {
  readonly id: number;
  readonly name: string;
  readonly email: string;
  readonly role: number;
  readonly isActive: boolean;
}

export type MemberFilter = 'active' | 'deactivated';

/** Returns people by words of their names, addresses and roles. */
export function members(state: Contents, filter: MemberFilter, text: string): readonly Member[] {
  const words = text.trim().toLowerCase().split(/\s+/).filter(Boolean);
  const found: Member[] = [];
  for (const user of state.users.values()) {
    if (user.is_bot || user.is_active !== (filter === 'active')) continue;
    const email = user.delivery_email ?? '';
    const whole = `${user.full_name} ${email} ${roleName(user.role)}`.toLowerCase();
    if (!words.every((word) => whole.includes(word))) continue;
    found.push({
      id: user.user_id,
      name: user.full_name,
      email,
      role: user.role,
      isActive: user.is_active,
    });
  }
  return found.sort((one, other) => one.name.localeCompare(other.name));
}

export interface ListedBot {
  readonly id: number;
  readonly name: string;
  readonly email: string;
  readonly type: string;
  readonly ownerId: number | null;
  readonly isActive: boolean;
  readonly isOwn: boolean;
}

export const BOT_TYPES: readonly (readonly [type: string, name: string])[] = [
  ['1', 'Does anything'],
  ['2', 'Sends what others post to its address'],
  ['3', 'Is called when somebody mentions it'],
];

/** Returns the bots that an account may change: its own, or all for administrators. */
export function botsIn(state: Contents): readonly ListedBot[] {
  const seesAll = isAdministrator(state);
  const found: ListedBot[] = [];
  for (const user of state.users.values()) {
    if (!user.is_bot || user.is_system_bot === true) continue;
    const isOwn = user.bot_owner_id === state.ownId;
    if (!isOwn && !seesAll) continue;
    found.push({
      id: user.user_id,
      name: user.full_name,
      email: user.email,
      type: BOT_TYPES.find(([type]) => type === String(user.bot_type))?.[1] ?? 'Built in',
      ownerId: user.bot_owner_id,
      isActive: user.is_active,
      isOwn,
    });
  }
  return found.sort(
    (one, other) =>
      Number(other.isActive) - Number(one.isActive) || one.name.localeCompare(other.name),
  );
}

type Role = 100 | 200 | 300 | 400 | 600;

export const changeRole = (id: number, role: number) =>
  app.chat.call('PATCH', '/users/{user_id_or_email}', {
    user_id_or_email: String(id),
    role: role as Role, // one of `ROLES`
  });

export const reactivate = (id: number) =>
  app.chat.call('POST', '/users/{user_id}/reactivate', { user_id: id });

export interface NewBot {
  readonly name: string;
  /** The bot is addressed as this, with `-bot` behind it. */
  readonly shortName: string;
  readonly type: string;
  /** The address that a bot of type 3 calls. */
  readonly payloadUrl: string;
}

/** Makes a bot, and returns its key. */
export async function createBot(wanted: NewBot): Promise<string> {
  const { api_key: key } = await app.chat.call('POST', '/bots', {
    full_name: wanted.name.trim(),
    short_name: wanted.shortName.trim(),
    bot_type: Number(wanted.type),
    ...(wanted.type === '3' ? { payload_url: wanted.payloadUrl.trim() } : {}),
  });
  return key;
}

/** Returns the short name that a bot of a name may have. */
export const shortNameOf = (name: string): string =>
  name
    .normalize('NFD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$|-bot$/g, '');

export const botKey = async (id: number): Promise<string> =>
  (await app.chat.call('GET', '/bots/{bot_id}/api_key', { bot_id: id })).api_key;

/** All keys that the bot had end. */
export const newBotKey = async (id: number): Promise<string> =>
  (await app.chat.call('POST', '/bots/{bot_id}/api_key/regenerate', { bot_id: id })).api_key;

export const deactivateBot = (id: number) =>
  app.chat.call('DELETE', '/bots/{bot_id}', { bot_id: id });

/** Takes the second step of somebody away, who is told by mail. */
export const resetSecondStep = (id: number) =>
  app.chat.call('DELETE', '/users/{user_id}/second_step', { user_id: id });

export const changeRealm = (change: { readonly name?: string; readonly description?: string }) =>
  app.chat.call('PATCH', '/realm', change);

export const setRealmToggle = (name: RealmToggle, wanted: boolean) =>
  app.chat.call('PATCH', '/realm', { [name]: wanted });

/** Settings of who comes in, with who may change them. */
export const REALM_TOGGLES = [
  ['invite_required', 'Only those who were invited may join', 'owners'],
  [
    'emails_restricted_to_domains',
    'Only with mail addresses of the domains that are allowed',
    'owners',
  ],
  [
    'disallow_disposable_email_addresses',
    'Not with mail addresses that are thrown away after use',
    'owners',
  ],
  ['require_second_step', 'All log in with a second step, or add one first', 'owners'],
  ['require_unique_names', 'Two people have different names', 'administrators'],
  ['name_changes_disabled', 'Only administrators change names', 'administrators'],
  ['email_changes_disabled', 'Only administrators change mail addresses', 'administrators'],
  ['avatar_changes_disabled', 'Only administrators change pictures', 'administrators'],
  ['send_welcome_emails', 'Newcomers get a mail of welcome', 'administrators'],
] as const;

/** Settings of messages. */
export const REALM_MESSAGE_TOGGLES = [
  ['allow_message_editing', 'People change their messages'],
  ['enable_read_receipts', 'People see who has read a message'],
  ['inline_image_preview', 'Pictures are shown in messages'],
  ['inline_url_embed_preview', 'Links show what they lead to'],
] as const;

export type RealmToggle =
  | (typeof REALM_TOGGLES)[number][0]
  | (typeof REALM_MESSAGE_TOGGLES)[number][0];

export const isRealmOn = (name: RealmToggle): boolean =>
  app.read('realm').facts[`realm_${name}`] === true;

/** The pictures that an organization has. */
export type RealmPicture = 'icon' | 'logo' | 'night-logo';

/** The types of the calls know of no forms with files. */
const PATHS: Readonly<Record<RealmPicture, string>> = {
  icon: '/realm/icon',
  logo: '/realm/logo',
  'night-logo': '/realm/logo',
};

/** Takes a picture as the icon or a logo of the organization. */
export function setRealmPicture(which: RealmPicture, picture: Blob, name: string) {
  const form = new FormData();
  if (which !== 'icon') form.append('night', String(which === 'night-logo'));
  form.append('file', picture, name);
  return app.chat.call('POST', PATHS[which], form);
}

export const removeRealmPicture = (which: RealmPicture) =>
  which === 'icon'
    ? app.chat.call('DELETE', '/realm/icon')
    : app.chat.call('DELETE', '/realm/logo', { night: which === 'night-logo' });

/** Tells the person by mail if there is a comment, even an empty one. */
export const deactivate = (id: number, comment?: string) =>
  app.chat.call('DELETE', '/users/{user_id_or_email}', {
    user_id_or_email: id,
    deactivation_notification_comment: comment,
  });
