import type { PushTokenKind } from '../../../storage/tables/notifications/push.ts';
import type { ServerSettings } from '../../config.ts';
import type { PushAnswer, PushKind, PushRecord } from '../../metrics/recorders.ts';
import type { Entry } from '../../operations/access/outbox.ts';
import { type DeviceEntry, pushOf } from '../../operations/notifications/device-pushes.ts';
import * as pushTokens from '../../operations/notifications/push-tokens.ts';
import type { Worker, Workers } from '../dispatcher.ts';
import { TooEarly } from '../post.ts';
import { apnsSender } from './apns.ts';
import { fcmSender } from './fcm.ts';
import { KeysRefused, type RefusalNotes } from './refusals.ts';
import { goneAtOf, isGone, type Outcome, type Sender } from './sender.ts';
import { sendToBrowser } from './web-push.ts';

type Keys = Pick<ServerSettings, 'apns' | 'fcm'>;

/** Returns what sends to each kind of device that this server reaches itself. */
export const openSenders = ({ apns, fcm }: Keys): Readonly<Record<PushTokenKind, Sender>> => ({
  web: sendToBrowser,
  apns: apns === null ? forNobody : apnsSender(apns),
  fcm: fcm === null ? forNobody : fcmSender(fcm),
});

/** Returns the workers of these kinds. */
export function deviceWorkers(keys: Keys, notes: RefusalNotes, record: PushRecord): Workers {
  const { web, apns, fcm } = openSenders(keys);
  return {
    webPush: workerOf(recorded(web, 'webPush', record), notes),
    apns: workerOf(recorded(apns, 'apns', record), notes),
    fcm: workerOf(recorded(fcm, 'fcm', record), notes),
  };
}

/** Counts how a service answers, and measures how long it takes. */
function recorded(send: Sender, kind: PushKind, { answers, answerMs }: PushRecord): Sender {
  return async (push, origin) => {
    const begun = performance.now();
    try {
      const outcome = await send(push, origin);
      if (outcome === 'unwanted') return outcome;
      answers[kind][answerOf(outcome)] += 1;
      answerMs.record(performance.now() - begun);
      return outcome;
    } catch (error) {
      answers[kind][wordOf(error)] += 1;
      throw error;
    }
  };
}

function answerOf(outcome: Exclude<Outcome, 'unwanted'>): PushAnswer {
  if (isGone(outcome)) return 'gone';
  return outcome === 'taken' ? outcome : 'refused';
}

function wordOf(error: unknown): PushAnswer {
  if (error instanceof KeysRefused) return 'keys refused';
  return error instanceof TooEarly ? 'busy' : 'unreachable';
}

/** Entries that were written before the operator took the key away lead nowhere. */
const forNobody: Sender = () => Promise.resolve('unwanted');

const workerOf = (send: Sender, notes: RefusalNotes): Worker => ({
  // Within three hours: a notice that comes later tells of what its reader has seen elsewhere.
  pausesMs: [2_000, 15_000, 120_000, 900_000, 3_600_000, 7_200_000],
  async deliver(entry, origin) {
    const { realm, site } = origin;
    const push = pushOf({ reader: realm.reader, site }, contentOf(entry), realm.now());
    if (push === undefined) return 'dropped';
    const outcome = await send(push, origin).catch((error) => {
      if (error instanceof KeysRefused) notes.pushKeysRefused(error);
      throw error;
    });
    if (outcome === 'taken') return undefined;
    if (outcome === 'unwanted') return 'dropped';
    if (isGone(outcome)) {
      const goneAt = goneAtOf(outcome);
      await realm.perform((tx) => pushTokens.forgetSent(tx, push, goneAt));
    } else notes.pushRefused(outcome);
    return 'refused';
  },
  giveUp(entry, _origin, error) {
    notes.pushLost(entry.kind, error);
    return Promise.resolve();
  },
});

/** Reads the content of the entry, which only `notifications/device-pushes.ts` writes. */
const contentOf = (entry: Entry) => entry.content as DeviceEntry;
