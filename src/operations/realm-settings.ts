import type { RealmTransaction } from '../../storage/realm-store.ts';
import * as errors from '../domain/errors.ts';
import type { LoggedEvent } from '../domain/logged-events.ts';
import { SERVER_SUPPORTED_PERMISSION_SETTINGS } from '../domain/permission-settings.ts';
import { type RealmSettings, realmSettingsDefaults } from '../domain/realm-settings.ts';
import * as eventQueues from './event-queues.ts';
import * as fullMembers from './full-members.ts';
import { acceptableForRealm } from './group-settings.ts';
import { realmSettings } from './groups.ts';

type Name = keyof RealmSettings;

export const isRealmSetting = (name: string): name is Name => Object.hasOwn(DEFAULTS, name);

/** Stores one setting of the organization and tells everyone (reference/events-and-register.md 4.5). */
export function set(tx: RealmTransaction, name: Name, given: unknown) {
  const row = tx.realm.get(['realm']);
  if (row === undefined) throw new Error('the store holds no realm');
  const value = isPermission(name) ? acceptableForRealm(tx, name, given as never) : given;
  if (!isLike(DEFAULTS[name], value)) throw errors.invalidVariable(name, String(value));
  if (JSON.stringify(realmSettings(tx)[name]) === JSON.stringify(value)) return;
  tx.realm.put(['realm'], { ...row, settings: { ...row.settings, [name]: value } });
  tx.emit({ event: event(name, value), audience: { everyone: true } });
  if (name === 'waiting_period_threshold') fullMembers.settle(tx);
  if (name === 'can_access_all_users_group') eventQueues.endOfGuests(tx);
}

const DEFAULTS = realmSettingsDefaults();

const isPermission = (
  name: string,
): name is keyof typeof SERVER_SUPPORTED_PERMISSION_SETTINGS.realm =>
  Object.hasOwn(SERVER_SUPPORTED_PERMISSION_SETTINGS.realm, name);

/** A number where the default is null means a limit; everything else keeps the type of its default. */
function isLike(example: unknown, value: unknown): boolean {
  if (value === null) return example === null || NULLABLE.has(typeof example);
  if (example === null) return typeof value === 'number' || typeof value === 'string';
  return typeof value === typeof example || typeof example === 'number';
}

const NULLABLE: ReadonlySet<string> = new Set(['number']);

function event(name: Name, value: unknown): LoggedEvent {
  const data =
    name === 'topics_policy'
      ? { topics_policy: value, mandatory_topics: value === 'disable_empty_topic' }
      : { [name]: value };
  const isGrouped = isPermission(name) || UPDATE_DICT.has(name);
  // The value is of the type of its setting, which was checked above.
  return (
    isGrouped
      ? { type: 'realm', op: 'update_dict', property: 'default', data }
      : { type: 'realm', op: 'update', property: name, value }
  ) as LoggedEvent;
}

const UPDATE_DICT: ReadonlySet<string> = new Set([
  'topics_policy',
  'allow_message_editing',
  'message_content_edit_limit_seconds',
  'authentication_methods',
]);
