import { app } from '../app.ts';
import type { Directory, Group } from '../feed/directory.ts';
import { channelOf, channels, ownId, people, topicsOf } from '../model.ts';
import type { Place } from '../route.ts';

/** Who and what messages of this account name. */
export const accountNames: Directory = {
  get ownId() {
    return ownId.value;
  },
  person: (userId) => people.value.get(userId),
  channel: channelOf,
  people: () => [...people.value.values()].filter(({ isActive }) => isActive),
  channels: () => [...channels.value.values()],
  groups,
  isInGroup: (groupId) => isIn(groupId, ownId.value, new Set()),
  topics: topicsOf,
  typing: typingAt,
  ownEmoji: () =>
    Object.values(app.read('emoji').facts.realm_emoji ?? {})
      .filter(({ deactivated }) => !deactivated)
      .map(({ id, name, source_url: url }) => ({ id, name, url })),
  setting: (name) =>
    (app.read('settings').facts.user_settings as Readonly<Record<string, unknown>> | undefined)?.[
      name
    ],
};

function groups(): readonly Group[] {
  return [...app.read('groups').groups.values()]
    .filter((group) => !group.is_system_group && !group.deactivated)
    .map(({ id, name, members }) => ({ id, name, memberCount: members.length }));
}

/** Groups have groups in them; those that were looked at are not looked at again. */
function isIn(groupId: number, userId: number, seen: Set<number>): boolean {
  if (seen.has(groupId)) return false;
  seen.add(groupId);
  const group = app.read('groups').groups.get(groupId);
  if (group === undefined) return false;
  if (group.members.includes(userId)) return true;
  return group.direct_subgroup_ids.some((id) => isIn(id, userId, seen));
}

/** The feed calls the place of a channel without a topic a place as well, where nobody writes. */
function typingAt(place: Place): readonly number[] {
  if (place.kind === 'channel') return [];
  const { typing, ownId: own } = app.read('typing');
  const at =
    place.kind === 'dm'
      ? { userIds: place.userIds.filter((id) => id !== own) }
      : { channelId: place.channelId, topic: place.topic };
  return typing.in(at).filter((id) => id !== own);
}
