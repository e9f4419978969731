import type { RealmTransaction } from '../../../storage/transaction.ts';
import * as errors from '../../domain/wire/errors.ts';
import type { Caller } from '../access/caller.ts';
import { byName } from '../access/channel-access.ts';
import * as userAccess from '../access/user-access.ts';
import { type CreationRequest, creationOf, groupsOf } from './new-channels.ts';
import * as channelNotices from './notices.ts';
import * as subscriptions from './subscriptions.ts';

export interface SubscribingRequest {
  readonly channels: subscriptions.SubscribeRequest['channels'];
  /** Users by id or by address; empty for the caller. */
  readonly principals: readonly (number | string)[];
  readonly areRefusalsFatal: boolean;
  readonly creation: CreationRequest;
  readonly announces: boolean;
  readonly writesToSubscribed: boolean;
}

/**
 * Subscribes users to channels, creates missing ones, and lets the notification bot announce them
 * (specification, "POST /users/me/subscriptions"). The order of refusals: reference/endpoints.md
 * 1.5, "Order".
 */
export function subscribe(tx: RealmTransaction, caller: Caller, request: SubscribingRequest) {
  const groups = groupsOf(tx, request.creation.groups);
  const principals =
    request.principals.length === 0
      ? [caller.user]
      : userAccess.findActive(tx, caller, request.principals);
  const names = request.channels.map(({ name }) => name);
  subscriptions.refuseTooMany(principals, names);
  const creation = creationOf(tx, caller, {
    names,
    request: { ...request.creation, groups },
  });
  const { created, joinedBy, unauthorized, ...result } = subscriptions.subscribe(tx, caller.user, {
    channels: request.channels,
    principals,
    areRefusalsFatal: request.areRefusalsFatal,
    creation,
    site: caller.site,
  });
  const areNotified =
    request.writesToSubscribed && channelNotices.notifySubscribed(tx, caller, joinedBy, created);
  if (request.announces) channelNotices.announceCreated(tx, caller, created);
  for (const channel of created) channelNotices.notifyCreation(tx, caller, channel);
  return {
    ...result,
    ...(request.areRefusalsFatal ? {} : { unauthorized }),
    ...(request.writesToSubscribed ? { new_subscription_messages_sent: areNotified } : {}),
  };
}

export interface NewChannelRequest {
  readonly name: string;
  readonly description: string;
  readonly subscribers: readonly number[];
  readonly creation: CreationRequest;
  readonly announces: boolean;
}

/** Creates a channel that must not exist yet, with exactly these subscribers. */
export function create(tx: RealmTransaction, caller: Caller, request: NewChannelRequest) {
  const name = request.name.trim();
  if (byName(tx, name) !== undefined) {
    throw errors.badRequest(`Channel '${name}' already exists`);
  }
  const groups = groupsOf(tx, request.creation.groups);
  const principals = userAccess.findActive(tx, caller, request.subscribers);
  subscriptions.refuseTooMany(principals, [name]);
  const creation = creationOf(tx, caller, {
    names: [name],
    request: { ...request.creation, groups },
  });
  const { created } = subscriptions.subscribe(tx, caller.user, {
    channels: [{ name, description: request.description }],
    principals,
    areRefusalsFatal: true,
    creation,
    site: caller.site,
  });
  if (request.announces) channelNotices.announceCreated(tx, caller, created);
  for (const channel of created) channelNotices.notifyCreation(tx, caller, channel);
  return { id: byName(tx, name)?.id };
}

/**
 * Subscribes the caller to channels and ends other subscriptions of theirs; returns both answers as
 * one.
 */
export function change(
  tx: RealmTransaction,
  caller: Caller,
  { add, remove }: { add: SubscribingRequest['channels']; remove: readonly string[] },
) {
  if (add.length === 0 && remove.length === 0) {
    throw errors.badRequest('Nothing to do. Specify at least one of "add" or "delete".');
  }
  const joined =
    add.length === 0
      ? {}
      : subscribe(tx, caller, {
          channels: add,
          principals: [],
          areRefusalsFatal: true,
          creation: PUBLIC_CHANNEL,
          announces: false,
          writesToSubscribed: true,
        });
  const left =
    remove.length === 0
      ? {}
      : subscriptions.unsubscribe(tx, caller.user, {
          names: subscriptions.distinctNames(remove),
          principals: [caller.user],
          site: caller.site,
        });
  return { ...joined, ...left };
}

const PUBLIC_CHANNEL: CreationRequest = {
  isPrivate: false,
  isWebPublic: false,
  isDefault: false,
  hasSharedHistory: undefined,
  messageRetentionDays: null,
  topicsPolicy: 'inherit',
  folderId: null,
  groups: {},
};
