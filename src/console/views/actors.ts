import type { Inspection } from '../../../actors/inspection.ts';
import type { Realm } from '../../../actors/realm/realm-handle.ts';
import type { Realms } from '../../admin/deployment.ts';
import {
  CONSOLE_ACTORS_MAX,
  CONSOLE_REALMS_MAX,
  CONSOLE_ROWS_MAX,
} from '../../domain/limits/operator.ts';
import type { ActorsView, QueueView, RealmActors } from '../wire.ts';

export interface ActorsInput {
  readonly state: string;
  readonly realms: Realms | null;
  readonly inspection: Pick<Inspection, 'events'>;
  readonly isRecording: boolean;
}

/** Describes the running actors: the first realms, and of each the first channels and queues. */
export function actorsView(input: ActorsInput): ActorsView {
  const all = input.realms?.all() ?? [];
  return {
    state: input.state,
    realms: all.slice(0, CONSOLE_REALMS_MAX).map(ofRealm),
    isCut: all.length > CONSOLE_REALMS_MAX,
    isRecording: input.isRecording,
    inspected: input.inspection
      .events()
      .slice(-CONSOLE_ROWS_MAX)
      .reverse()
      .map((one) => ({ ...one, detail: readable(one.detail) })),
  };
}

/** One more than is shown, to know whether there are more. */
const BOUNDS = { channels: CONSOLE_ACTORS_MAX + 1, queues: CONSOLE_ACTORS_MAX + 1 };

function ofRealm(realm: Realm): RealmActors {
  const tree = realm.describe(BOUNDS);
  const { queuesAttached, queuesDetached } = realm.measure();
  const reader = realm.isOpen() ? realm.reader : null;
  const queues = tree.queues.slice(0, CONSOLE_ACTORS_MAX).map(
    ({ id, userId, state, consumer, client }): QueueView => ({
      id,
      user: reader?.users.get([userId])?.fullName ?? `user ${userId}`,
      state: state ?? 'ended',
      consumer,
      client,
    }),
  );
  return {
    id: realm.id,
    realm: realm.stringId,
    state: stateText(tree.state),
    channels: tree.channels
      .slice(0, CONSOLE_ACTORS_MAX)
      .map(({ channelId, state, listeners }) => ({
        id: channelId,
        name: reader?.channels.get([channelId])?.name ?? `channel ${channelId}`,
        state: stateText(state),
        listeners,
      }))
      .sort((one, other) => other.listeners - one.listeners),
    hasMoreChannels: tree.channels.length > CONSOLE_ACTORS_MAX,
    queues,
    attachedCount: queuesAttached,
    detachedCount: queuesDetached,
  };
}

/** A state with states in it was noted as JSON. */
const readable = (detail: string) =>
  detail.startsWith('{') ? stateText(JSON.parse(detail)) : detail;

/** Returns the state of a machine as it is written: `active (housekeeping waiting)`. */
function stateText(state: unknown): string {
  if (typeof state !== 'object' || state === null) return String(state);
  return Object.entries(state)
    .map(
      ([name, inner]) => `${name} ${typeof inner === 'object' ? `(${stateText(inner)})` : inner}`,
    )
    .join(', ');
}
