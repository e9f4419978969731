import { z } from 'zod';
import { BOUNCER_ANSWER_BYTES_MAX, BOUNCER_MS_MAX } from '../domain/limits.ts';
import type { Letter } from '../operations/outbox.ts';
import * as pushDevices from '../operations/push-devices.ts';
import * as pushNotices from '../operations/push-notices.ts';
import type { Courier, Origin } from './couriers.ts';
import { type Posted, post } from './post.ts';

/** Brings registrations and notices to the push bouncer; its address holds the credentials, where it wants any. */
export const pushCourier = (bouncerUrl: string): Courier => ({
  // Together two hours: a bouncer that is down for longer has lost its registrations as well.
  pausesMs: [2_000, 30_000, 300_000, 1_800_000, 5_400_000],
  async carry(letter, origin) {
    const push = letterIn(letter);
    if (push.type === 'register') await register(bouncerUrl, origin, push);
    else await notify(bouncerUrl, origin, push);
  },
  async giveUp(letter, origin) {
    const push = letterIn(letter);
    if (push.type !== 'register') return;
    await settle(origin, push, { status: 'failed', errorCode: 'REQUEST_EXPIRED' });
  },
});

type PushLetter = pushDevices.PushLetter;
type Registration = Extract<PushLetter, { type: 'register' }>;
type Notification = Extract<PushLetter, { type: 'notify' }>;

/** What only `push-devices.ts` and `push-calls.ts` post under this kind. */
const letterIn = (letter: Letter) => letter.content as PushLetter;

const accepted = z.object({ device_id: z.union([z.string().min(1), z.int()]).transform(String) });
const refused = z.object({ code: z.string().regex(/^[A-Z_]{1,60}$/) });

async function register(bouncerUrl: string, origin: Origin, push: Registration) {
  const device = rowOf(origin, push);
  if (device === undefined) return;
  const answer = await call(`${bouncerUrl}/register`, {
    realm_url: origin.place.url,
    push_account_id: push.pushAccountId,
    token_kind: device.tokenKind,
    bouncer_public_key: device.bouncerPublicKey,
    encrypted_push_registration: device.encryptedRegistration,
  });
  await settle(origin, push, verdictOf(answer), device);
}

function verdictOf(answer: Posted): pushDevices.Verdict {
  const body = jsonIn(answer.text);
  if (answer.status === 200) {
    const { success, data } = accepted.safeParse(body);
    if (success) return { status: 'active', bouncerDeviceId: data.device_id };
  }
  const { success, data } = refused.safeParse(body);
  return { status: 'failed', errorCode: success ? data.code : 'BAD_REQUEST' };
}

async function notify(bouncerUrl: string, { realm, place }: Origin, push: Notification) {
  const devices = pushNotices.devicesFor(realm.reader, push);
  if (devices.length === 0) return;
  // Nothing of the message itself: the bouncer and what is behind it need not know.
  await call(`${bouncerUrl}/notify`, {
    realm_url: place.url,
    user_id: push.userId,
    event: 'message',
    message_ids: [push.messageId],
    devices,
  });
}

/** A bouncer in trouble is asked again later. */
async function call(url: string, body: object): Promise<Posted> {
  const answer = await post({
    url,
    contentType: 'application/json',
    body: JSON.stringify(body),
    timeoutMs: BOUNCER_MS_MAX,
    bytesMax: BOUNCER_ANSWER_BYTES_MAX,
    // The operator chose it.
    allowsPrivate: true,
  });
  if (answer.status >= 500 || answer.status === 429) {
    throw new Error(`the push bouncer answered with status ${answer.status}`);
  }
  return answer;
}

const rowOf = ({ realm }: Origin, { userId, pushAccountId }: Registration) =>
  realm.reader.pushDevices.get([userId, pushAccountId]);

async function settle(
  origin: Origin,
  push: Registration,
  verdict: pushDevices.Verdict,
  sent = rowOf(origin, push),
) {
  if (sent === undefined) return;
  await origin.realm.perform((tx) => pushDevices.settle(tx, push, { sent, verdict }));
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
