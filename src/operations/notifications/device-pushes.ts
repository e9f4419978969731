import type { RealmTransaction } from '../../../storage/transaction.ts';
import type { ServerSettings } from '../../config.ts';
import { sendsItself } from '../../settings/services.ts';
import type { Site } from '../access/caller.ts';
import * as outbox from '../access/outbox.ts';
import type { PushEntry } from '../posting/pushes.ts';
import * as pushNotices from './push-notices.ts';

type Notification = Exclude<PushEntry, { type: 'register' }>;

/** An outbox entry for one device: none waits for another, or is told twice because of it. */
export interface DeviceEntry {
  readonly userId: number;
  readonly hash: string;
  /** The notification, with this user as the only recipient. */
  readonly push: Notification;
}

const KINDS = { web: 'webPush', apns: 'apns', fcm: 'fcm' } as const;

interface Split {
  readonly entry: outbox.Entry;
  readonly push: Notification;
  readonly pushes: pushNotices.Pushes;
  readonly settings: ServerSettings;
}

/**
 * Replaces an entry for many recipients by one for each device that the server sends to itself, and
 * one for the bouncer if it has devices as well. All of it is one commit, so nobody is told twice.
 */
export function split(tx: RealmTransaction, { entry, push, pushes, settings }: Split) {
  const own = pushes.tokens.filter(({ kind }) => sendsItself(settings, kind));
  for (const { userId, hash, kind } of own) {
    const content: DeviceEntry = { userId, hash, push: only(push, userId) };
    outbox.post(tx, { kind: KINDS[kind], content });
  }
  if (pushes.devices.length > 0 || own.length < pushes.tokens.length) {
    outbox.post(tx, { kind: 'push', content: { ...push, isForBouncer: true } });
  }
  outbox.remove(tx, entry);
}

function only(push: Notification, userId: number): Notification {
  switch (push.type) {
    case 'message':
      return { ...push, recipients: push.recipients.filter((one) => one.userId === userId) };
    case 'remove':
      return { ...push, removals: push.removals.filter((one) => one.userId === userId) };
    default:
      return push;
  }
}

/** Returns the push of an entry as of now; undefined if message or device are gone. */
export function pushOf(
  source: { readonly reader: pushNotices.Source['reader']; readonly site: Site },
  entry: DeviceEntry,
  now: number,
): pushNotices.TokenPush | undefined {
  const { tokens } = pushNotices.pushesFor({ ...source, now }, entry.push);
  return tokens.find(({ userId, hash }) => userId === entry.userId && hash === entry.hash);
}
