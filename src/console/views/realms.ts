import type { Realm } from '../../../actors/realm/realm-handle.ts';
import type { Realms } from '../../admin/deployment.ts';
import { SYSTEM_USER_ID_MIN } from '../../domain/rules/people/system-bots.ts';
import { existing } from '../../operations/access/realms.ts';
import type { RealmView } from '../wire.ts';

/** Describes each realm; asking costs the same however large it is. */
export const realmViews = (realms: Realms): readonly RealmView[] => [
  ...realms.all().map((realm) => described(realms, realm)),
  ...realms.unserved().map(
    ({ id, names, reason }): RealmView => ({
      ...NOTHING_KNOWN,
      id,
      realm: names[0] ?? `realm ${id}`,
      state: 'not served',
      reason,
    }),
  ),
];

const NOTHING_KNOWN = {
  title: '',
  reason: '',
  users: 0,
  channels: 0,
  messages: 0,
  bytes: 0,
  queues: 0,
  lastActiveAt: null,
  url: '',
};

function described(realms: Realms, realm: Realm): RealmView {
  const { id, stringId, reader } = realm;
  // The store of a realm that has failed may be closed.
  if (!realm.isOpen()) return { ...NOTHING_KNOWN, id, realm: stringId, state: 'closed' };
  const row = existing(reader);
  const systemBots = [...reader.users.keys({ start: [SYSTEM_USER_ID_MIN] })].length;
  const { sizes, queuesAttached, queuesDetached } = realm.measure();
  return {
    id,
    realm: stringId,
    title: row.name,
    state: row.isActive ? 'active' : 'deactivated',
    reason: '',
    users: reader.users.count() - systemBots,
    channels: reader.channels.count(),
    messages: reader.messages.count(),
    bytes: sizes.dataBytes + sizes.freeBytes,
    queues: queuesAttached + queuesDetached,
    lastActiveAt: reader.events.get([reader.head()])?.at ?? null,
    url: realms.siteOf(realm).settledUrl,
  };
}
