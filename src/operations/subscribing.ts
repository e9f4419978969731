import type { RealmTransaction } from '../../storage/realm-store.ts';
import type { Caller } from './caller.ts';
import * as channelNotices from './channel-notices.ts';
import { type CreationRequest, creationOf, groupsOf } from './new-channels.ts';
import * as subscriptions from './subscriptions.ts';
import * as userAccess from './user-access.ts';

export interface SubscribingRequest {
  readonly channels: subscriptions.SubscribeRequest['channels'];
  /** Users by id or by address; the caller when there are none. */
  readonly principals: readonly (number | string)[];
  readonly areRefusalsFatal: boolean;
  readonly creation: CreationRequest;
  readonly announces: boolean;
  readonly writesToSubscribed: boolean;
}

/**
 * Subscribes users to channels, creates those that do not exist, and has the notification bot tell of it
 * (specification, "POST /users/me/subscriptions"). What is refused first: reference/endpoints.md 1.5, "Order".
 */
export function subscribe(tx: RealmTransaction, caller: Caller, request: SubscribingRequest) {
  const groups = groupsOf(tx, request.creation.groups);
  const principals =
    request.principals.length === 0
      ? [caller.user]
      : userAccess.findActive(tx, caller, request.principals);
  const names = request.channels.map(({ name }) => name);
  const creation = creationOf(tx, caller.user, {
    names,
    request: { ...request.creation, groups },
  });
  const { created, joinedBy, unauthorized, ...result } = subscriptions.subscribe(tx, caller.user, {
    channels: request.channels,
    principals,
    areRefusalsFatal: request.areRefusalsFatal,
    creation,
  });
  const areTold =
    request.writesToSubscribed && channelNotices.tellSubscribed(tx, caller, joinedBy, created);
  if (request.announces) channelNotices.announceCreated(tx, caller, created);
  for (const channel of created) channelNotices.tellCreation(tx, caller, channel);
  return {
    ...result,
    ...(request.areRefusalsFatal ? {} : { unauthorized }),
    ...(request.writesToSubscribed ? { new_subscription_messages_sent: areTold } : {}),
  };
}
