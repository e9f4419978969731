import type { ServerSettings } from '../../config.ts';
import type { Entry } from '../../operations/access/outbox.ts';
import { type DeviceEntry, pushOf } from '../../operations/notifications/device-pushes.ts';
import type { TokenPush } from '../../operations/notifications/push-notices.ts';
import * as pushTokens from '../../operations/notifications/push-tokens.ts';
import type { Origin, Worker, Workers } from '../dispatcher.ts';
import { apnsSender } from './apns.ts';
import { fcmSender } from './fcm.ts';
import { sendToBrowser } from './web-push.ts';

/** What came of a push: `gone` means that the device is not reached by this token any more. */
export type Outcome = 'taken' | 'gone';

/**
 * Sends one push. Throws if another attempt may succeed, and `TooEarly` if the service has said
 * when.
 */
export type Sender = (push: TokenPush, origin: Origin) => Promise<Outcome>;

/** Returns the workers of the kinds of devices that this server sends to itself. */
export const deviceWorkers = ({ apns, fcm }: Pick<ServerSettings, 'apns' | 'fcm'>): Workers => ({
  webPush: workerOf(sendToBrowser),
  apns: workerOf(apns === null ? forNobody : apnsSender(apns)),
  fcm: workerOf(fcm === null ? forNobody : fcmSender(fcm)),
});

/** Entries that were written before the operator took the key away lead nowhere. */
const forNobody: Sender = () => Promise.resolve('taken');

const workerOf = (send: Sender): Worker => ({
  // Within three hours: a notice that comes later tells of what its reader has seen elsewhere.
  pausesMs: [2_000, 15_000, 120_000, 900_000, 3_600_000, 7_200_000],
  async deliver(entry, origin) {
    const { realm, site } = origin;
    const push = pushOf({ reader: realm.reader, site }, contentOf(entry), realm.now());
    if (push === undefined || (await send(push, origin)) === 'taken') return;
    await realm.perform((tx) => pushTokens.forgetSent(tx, push.userId, push));
  },
  giveUp: () => Promise.resolve(),
});

/** Reads the content of the entry, which only `notifications/device-pushes.ts` writes. */
const contentOf = (entry: Entry) => entry.content as DeviceEntry;
