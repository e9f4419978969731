import { type SystemGroupName, systemGroupName } from '../../../src/domain/wire/system-groups.ts';
import type { WireEvent } from '../client.ts';
import type { Entry, Snapshot } from './snapshot.ts';

/** Fields of a snapshot in forms that only clients of former years ask for. */
export interface FormerForms {
  /** Returns true if the event is of such a form, and about nothing else. */
  apply(event: WireEvent): boolean;
  fields(): Entry;
}

/** Events that only these clients get. */
export const FORMER_KINDS: readonly string[] = [
  'update_display_settings',
  'update_global_notifications',
];

/**
 * Keeps what the state of the client library does not know: settings that are no part of
 * `user_settings`, presences by address, and policies that stand beside the groups.
 */
export function keepFormer(snapshot: Snapshot): FormerForms {
  const fields: Entry = {};
  const presences: Record<string, Entry> = { ...snapshot.presences };
  let isFormer = Object.values(presences).some((presence) => 'website' in presence);
  const emails = new Map(snapshot.realm_users?.map((user) => [user.user_id, user['email']]));
  return {
    apply(event) {
      const { type, op, data, person, setting_name, notification_name, setting } = event;
      if (FORMER_KINDS.includes(type)) {
        fields[setting_name ?? notification_name] = setting;
        return true;
      }
      if (type === 'realm' && op === 'update_dict') Object.assign(fields, policiesOf(data));
      if (type === 'realm_user') changePerson(op, person);
      if (type !== 'presence' || event['presences'] !== undefined) return false;
      setPresence(event);
      return true;
    },
    fields: () => ({ ...fields, ...(isFormer && { presences }) }),
  };

  function setPresence({ email, user_id, presence }: WireEvent) {
    isFormer = true;
    const { pushable, ...aggregated } = presence.website;
    presences[email ?? user_id] = email === undefined ? presence : { ...presence, aggregated };
  }

  function changePerson(op: unknown, { user_id: id, email, new_email, is_active }: Entry) {
    const before = emails.get(id as number);
    if (op === 'add') emails.set(id as number, email);
    if (op === 'remove' || is_active === false) {
      delete presences[String(before)];
      delete presences[String(id)];
    }
    if (new_email === undefined) return;
    emails.set(id as number, new_email);
    const known = presences[String(before)];
    if (known === undefined) return;
    delete presences[String(before)];
    presences[String(new_email)] = known;
  }
}

type Policies = Readonly<Partial<Record<SystemGroupName, number>>>;

const CREATING: Policies = {
  'role:everyone': 1,
  'role:members': 1,
  'role:fullmembers': 3,
  'role:moderators': 4,
  'role:administrators': 2,
  'role:owners': 2,
  'role:nobody': 2,
};

/**
 * Policies of older clients. No event tells of them: a client works them out
 * (reference/events-and-register.md 5.3).
 */
const LEGACY: Readonly<Record<string, readonly [name: string, policies: Policies]>> = {
  can_mention_many_users_group: [
    'wildcard_mention_policy',
    {
      'role:everyone': 1,
      'role:members': 2,
      'role:fullmembers': 3,
      'role:moderators': 7,
      'role:administrators': 5,
      'role:owners': 5,
      'role:nobody': 6,
    },
  ],
  can_create_public_channel_group: ['create_public_stream_policy', CREATING],
  can_create_private_channel_group: ['create_private_stream_policy', CREATING],
  can_create_web_public_channel_group: [
    'create_web_public_stream_policy',
    { 'role:moderators': 4, 'role:administrators': 2, 'role:owners': 7, 'role:nobody': 6 },
  ],
};

function policiesOf(data: Entry): Entry {
  const policies = Object.entries(data).flatMap(([name, value]) => {
    const [legacy, ofGroups] = LEGACY[name] ?? [];
    if (legacy === undefined) return [];
    const group = typeof value === 'number' ? systemGroupName(value) : undefined;
    return [[`realm_${legacy}`, ofGroups?.[group ?? 'role:moderators']]];
  });
  return Object.fromEntries(policies);
}
