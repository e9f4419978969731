import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import { isLanguage, languageName } from '../../domain/rules/people/languages.ts';
import { apiEmail, isEmailPublic, rolesThatSeeEmail } from '../../domain/rules/people/users.ts';
import * as errors from '../../domain/wire/errors.ts';
import type { LoggedEvent } from '../../domain/wire/events/logged-events.ts';
import {
  USER_SETTING_NAMES,
  USER_SETTINGS,
  type UserSettingName,
} from '../../domain/wire/settings/user-settings.ts';
import { avatarUpdate, withNewAvatar } from '../access/avatars.ts';
import type { Caller, Site } from '../access/caller.ts';
import { whoOfRolesSees, whoSees } from '../access/user-visibility.ts';
import * as notificationListeners from '../indexes/notification-listeners.ts';
import * as missedMessages from '../notifications/missed-messages.ts';
import * as drafts from '../personal/drafts.ts';
import * as exports from '../realm/exports.ts';
import type { SettingsChange } from '../users/defaults.ts';
import * as presences from '../users/presences.ts';
import * as userStatuses from '../users/statuses.ts';

interface Owner {
  readonly user: UserRow;
  readonly site: Site;
}

/** Sets personal settings, and announces those that changed. Returns the changed account. */
export function set(tx: RealmTransaction, { user, site }: Owner, change: SettingsChange): UserRow {
  let current = user;
  for (const name of USER_SETTING_NAMES) {
    const value = change[name];
    if (value !== undefined && value !== settingOf(current, name)) {
      current = setOne(tx, { user: current, site }, { name, value });
    }
  }
  return current;
}

/** Returns the settings that already have the requested value. */
export const asTheyAre = (user: UserRow, change: SettingsChange): UserSettingName[] =>
  USER_SETTING_NAMES.filter(
    (name) => change[name] !== undefined && change[name] === settingOf(user, name),
  );

interface NewValue {
  readonly name: UserSettingName;
  readonly value: boolean | number | string;
}

const settingOf = ({ settings }: UserRow, name: UserSettingName) =>
  settings[name] ?? USER_SETTINGS[name].default;

function setOne(tx: RealmTransaction, { user, site }: Owner, { name, value }: NewValue): UserRow {
  if (name === 'default_language' && !isLanguage(String(value))) {
    throw errors.badRequest('Invalid default_language');
  }
  const isOfEmail = name === 'email_address_visibility';
  const settled: UserRow = { ...user, settings: { ...user.settings, [name]: value } };
  // The image changes for users who may not see the address.
  const changed = isOfEmail ? withNewAvatar(settled) : settled;
  tx.users.put([user.id], changed);
  notificationListeners.noteSetting(tx, user.id, [name, value]);
  if (name === 'email_notifications_batching_period_seconds')
    missedMessages.reschedule(tx, changed);
  const audience = { users: [user.id] };
  const language =
    name === 'default_language' ? { language_name: languageName(String(value)) } : {};
  tx.emit({
    event: { type: 'user_settings', op: 'update', property: name, value, ...language },
    audience,
  });
  const legacy = legacyEvent({ name, value }, { user: apiEmail(changed, site.host), ...language });
  if (legacy !== null) {
    tx.emit({ event: legacy, audience, queues: { lacks: 'user_settings_object' } });
  }
  if (name === 'enable_drafts_synchronization' && value === false) drafts.removeAll(tx, user.id);
  if (isOfEmail) announceVisibility(tx, { user: changed, site }, user);
  if (name === 'allow_private_data_export') exports.announceConsent(tx, changed);
  if (name === 'presence_enabled') announceAvailability(tx, { user: changed, site });
  return changed;
}

/**
 * Returns the event for clients without `user_settings_object` (reference/events-and-register.md
 * 4.6).
 */
function legacyEvent(
  { name, value }: NewValue,
  rest: { user: string; language_name?: string },
): LoggedEvent | null {
  const { kind } = USER_SETTINGS[name];
  if (kind === 'display') {
    return { type: 'update_display_settings', setting_name: name, setting: value, ...rest };
  }
  if (kind === 'notification') {
    const { user } = rest;
    return { type: 'update_global_notifications', notification_name: name, setting: value, user };
  }
  return null;
}

/**
 * Announces a change of who may see the real address: users who gained it are told the address,
 * users who lost it are told null, and all are told the image, and the API address if it changed
 * (reference/events-and-register.md 4.3).
 */
function announceVisibility(tx: RealmTransaction, { user, site }: Owner, before: UserRow) {
  const [from, to] = [rolesThatSeeEmail(before), rolesThatSeeEmail(user)];
  const update = (delivery_email: string | null): LoggedEvent => ({
    type: 'realm_user',
    op: 'update',
    person: { user_id: user.id, delivery_email },
  });
  const audience = (roles: { above: number; upTo: number }) => ({
    ...whoOfRolesSees(tx, user, roles),
    // The user always sees their own address.
    except: [user.id],
  });
  if (to > from) {
    tx.emit({ event: update(user.email), audience: audience({ above: from, upTo: to }) });
  } else {
    tx.emit({ event: update(null), audience: audience({ above: to, upTo: from }) });
  }
  const everyone = whoSees(tx, user);
  tx.emit({
    event: {
      type: 'realm_user',
      op: 'update',
      person: { user_id: user.id, ...avatarUpdate(user) },
    },
    audience: everyone,
  });
  if (isEmailPublic(user) === isEmailPublic(before)) return;
  const new_email = apiEmail(user, site.host);
  tx.emit({
    event: { type: 'realm_user', op: 'update', person: { user_id: user.id, new_email } },
    audience: everyone,
  });
}

/** Announces visibility to older clients, which show an invisible user as away. */
function announceAvailability(tx: RealmTransaction, { user, site }: Owner) {
  const isVisible = settingOf(user, 'presence_enabled') === true;
  tx.emit({
    event: { type: 'user_status', user_id: user.id, away: !isVisible },
    audience: whoSees(tx, user),
  });
  presences.setVisible(tx, { user, site }, isVisible);
}

/** A request to change one's own status. */
interface OwnChange extends userStatuses.StatusChange {
  /** Legacy: not the setting `presence_enabled`. */
  readonly away?: boolean | undefined;
}

/** Sets one's own status, including the legacy `away`. */
export function setOwnStatus(
  tx: RealmTransaction,
  { user, site }: Caller,
  { away, ...change }: OwnChange,
) {
  if (away !== undefined) set(tx, { user, site }, { presence_enabled: !away });
  const isAlone = change.status_text === undefined && change.emoji_name === undefined;
  if (away === undefined || !isAlone)
    userStatuses.set(tx, user, { change, settings: site.settings });
}
