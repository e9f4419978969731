/** The right column of the account that is open. */
import { computed, type ReadonlySignal } from '@preact/signals';
import { app } from '../app.ts';
import { mayRead } from '../channels/permissions.ts';
import { subscribersOf } from '../channels/subscribers.ts';
import { channelOf, ownId, people, presenceOf } from '../model.ts';
import { route } from '../navigation.ts';
import { type Place, placeOf } from '../route.ts';
import { byName, type ColumnRow, columnRows } from './column.ts';

const sortedPeople = computed(() => byName(people.value.values()));

/** The conversation or channel that is shown; null for lists and searches. */
export const shownPlace: ReadonlySignal<Place | null> = computed(() => {
  const { value } = route;
  if (value.view === 'topics') return { kind: 'channel', channelId: value.channelId };
  return value.view === 'narrow' ? placeOf(value.narrow) : null;
});

/** The channel whose people are shown; null if there is none, or if they are not to be known. */
export const shownChannelId: ReadonlySignal<number | null> = computed(() => {
  const place = shownPlace.value;
  if (place === null || place.kind === 'dm') return null;
  const state = app.read('channels', 'subscriptions', 'groups', 'own');
  return mayRead(state, place.channelId) ? place.channelId : null;
});

/** The others of a direct conversation that is shown, as a text that is the same for the same. */
const shownDm = computed(() => {
  const { value } = shownPlace;
  return value?.kind === 'dm' ? value.userIds.join() : null;
});

/** Other topics of a channel have the same people, of whom there may be thousands. */
export const shownRows: ReadonlySignal<readonly ColumnRow[]> = computed(() => {
  const input = { people: sortedPeople.value, presenceOf };
  const dm = shownDm.value;
  if (dm !== null) {
    const within = new Set([...dm.split(',').map(Number), ownId.value]);
    return columnRows({ ...input, within, title: 'In this conversation', others: null });
  }
  const channelId = shownChannelId.value;
  if (channelId === null) {
    return columnRows({ ...input, within: null, title: 'People', others: null });
  }
  const within = subscribersOf(channelId);
  // Until the list is here, nobody is shown where they do not belong.
  if (within === undefined) return [];
  const name = channelOf(channelId)?.name ?? '';
  return columnRows({ ...input, within, title: `In ${name}`, others: 'Not in the channel' });
});
