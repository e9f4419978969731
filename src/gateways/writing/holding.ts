import type { Holder } from '../../../actors/realm/holds.ts';
import type { Realm } from '../../../actors/realm/realm-handle.ts';
import type { FromGateway, FromWriter, Held } from '../link/frames.ts';
import type { FrameStream } from '../link/stream.ts';

interface Gateways {
  /** The one that has sent the frame. */
  readonly number: Holder;
  readonly streamOf: (number: Holder) => FrameStream<FromWriter> | undefined;
}

/**
 * A consumer of a queue has come to a gateway. If there is another one elsewhere, it is replaced
 * unless it came later: the gateways tell by a clock that they share.
 */
export function takeHold(realm: Realm, held: Held, { number, streamOf }: Gateways): void {
  const [id, stands] = standingIn(held);
  const former = realm.holds.hold(number, id, stands, held[4]);
  if (former === null) streamOf(number)?.send(['ended', realm.id, id, 'queue gone']);
  else if (typeof former === 'number') streamOf(former)?.send(['replaced', realm.id, id, held[4]]);
}

/** A gateway tells where the queues stand that it holds, or lets one go. */
export function takeStanding(
  realm: Realm,
  number: Holder,
  frame: Extract<FromGateway, readonly ['let go' | 'stands', ...unknown[]]>,
): void {
  if (frame[0] === 'let go') realm.holds.letGo(number, ...standingIn(frame[2]));
  else for (const held of frame[2]) stand(realm, number, held);
}

function stand({ holds }: Realm, number: Holder, held: Held) {
  const [id, standing] = standingIn(held);
  // A realm that was started again does not know who holds its queues.
  if (holds.has(id)) holds.note(id, standing);
  else holds.hold(number, id, standing);
}

const standingIn = ([id, acknowledged, position, deliveredId]: Held) =>
  [id, { acknowledged, position, deliveredId }] as const;
