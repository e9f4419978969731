import { computed } from '@preact/signals';
import { app } from '../app.ts';
import type { Playground } from '../messages/playgrounds.ts';
import { channelOf, channels, ownId, people, topicsOf } from '../model.ts';
import type { Place } from '../route.ts';
import type { Directory, Group, OwnEmoji } from './directory.ts';

/** Groups of the server itself that nobody mentions have names of this form. */
const SYSTEM = 'role:';

const allPeople = computed(() => [...people.value.values()]);
const allChannels = computed(() =>
  [...channels.value.values()].sort((one, other) => one.name.localeCompare(other.name)),
);

const groups = computed<readonly Group[]>(() =>
  [...app.read('groups').groups.values()]
    .filter(({ deactivated, name }) => !deactivated && !name.startsWith(SYSTEM))
    .map(({ id, name, members }) => ({ id, name, memberCount: members.length })),
);

const ownEmoji = computed<readonly OwnEmoji[]>(() =>
  Object.values(app.read('emoji').facts.realm_emoji ?? {})
    .filter(({ deactivated }) => !deactivated)
    .map(({ id, name, source_url: url }) => ({ id, name, url })),
);

const NO_PLAYGROUNDS: readonly Playground[] = [];

/** The names of the account that is open, as the feed and the field need them. */
export const directoryOfApp: Directory = {
  get ownId() {
    return ownId.value;
  },
  person: (id) => people.value.get(id),
  channel: channelOf,
  people: () => allPeople.value,
  channels: () => allChannels.value,
  groups: () => groups.value,
  isInGroup: (id) => app.read('groups').groups.get(id)?.members.includes(ownId.value) ?? false,
  topics: topicsOf,
  offers: () => {
    const { facts } = app.read('realm');
    return {
      readers: facts.realm_enable_read_receipts === true,
      versions: facts.realm_allow_edit_history === true,
      reports: (facts.realm_moderation_request_channel_id ?? -1) > 0,
    };
  },
  playgrounds: () => app.read('playgrounds').facts.realm_playgrounds ?? NO_PLAYGROUNDS,
  typing: (place) => typingAt(place),
  ownEmoji: () => ownEmoji.value,
  setting: (name) => {
    const { user_settings: settings } = app.read('settings').facts;
    return (settings as Readonly<Record<string, unknown>> | undefined)?.[name];
  },
};

function typingAt(place: Place): readonly number[] {
  if (place.kind === 'channel') return [];
  const { typing } = app.read('typing');
  const at =
    place.kind === 'dm'
      ? { userIds: place.userIds }
      : { channelId: place.channelId, topic: place.topic };
  return typing.in(at).filter((id) => id !== ownId.value);
}
