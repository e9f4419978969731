import { z } from 'zod';
import {
  BOUNCER_ANSWER_BYTES_MAX,
  BOUNCER_MS_MAX,
  DEVICES_PER_PUSH_REQUEST_MAX,
} from '../domain/limits/outbox.ts';
import type { Entry } from '../operations/access/outbox.ts';
import * as devicePushes from '../operations/notifications/device-pushes.ts';
import * as pushDevices from '../operations/notifications/push-devices.ts';
import * as pushNotices from '../operations/notifications/push-notices.ts';
import * as pushTokens from '../operations/notifications/push-tokens.ts';
import type { PushEntry } from '../operations/posting/pushes.ts';
import { hasPushBouncer, sendsItself } from '../settings/services.ts';
import type { Origin, Unsent, Worker } from './dispatcher.ts';
import { type Posted, post } from './post.ts';
import { sealedFor } from './sealed-box.ts';

/**
 * Sends registrations and notices to the push bouncer. Its URL holds the credentials, if it needs
 * any.
 */
export const pushWorker: Worker = {
  // The attempts span two hours: a bouncer that is down for longer has lost its registrations as
  // well.
  pausesMs: [2_000, 30_000, 300_000, 1_800_000, 5_400_000],
  async deliver(entry, origin) {
    const push = pushIn(entry);
    if (push.type !== 'register') return await notify(origin, push, entry);
    await register(origin, push);
    return undefined;
  },
  async giveUp(entry, origin) {
    const push = pushIn(entry);
    if (push.type !== 'register') return;
    await settle(origin, push, { status: 'failed', errorCode: 'REQUEST_EXPIRED' });
  },
};

type Registration = Extract<PushEntry, { type: 'register' }>;
type Notification = Exclude<PushEntry, { type: 'register' }> & { readonly isForBouncer?: true };

/** Reads the content of the entry, which only `posting/pushes.ts` writes. */
const pushIn = (entry: Entry) => entry.content as PushEntry;

const bouncerDeviceId = z.union([z.string().min(1), z.int()]).transform(String);
const accepted = z.object({ device_id: bouncerDeviceId });
const refused = z.object({ code: z.string().regex(/^[A-Z_]{1,60}$/) });
/** The devices and tokens that the bouncer does not know, or no longer knows. */
const unknownToBouncer = z.object({
  gone_device_ids: z.array(bouncerDeviceId).default([]),
  gone_tokens: z.array(z.string()).default([]),
});

async function register(origin: Origin, push: Registration) {
  const device = rowOf(origin, push);
  if (device === undefined) return;
  if ((await sealedFor(device.publicKey, '')) === undefined) {
    await settle(origin, push, { status: 'failed', errorCode: 'BAD_REQUEST' }, device);
    return;
  }
  const { url, settings } = origin.site;
  const answer = await postToBouncer(`${settings.pushBouncerUrl}/register`, {
    realm_url: url,
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

async function notify(
  origin: Origin,
  push: Notification,
  entry: Entry,
): Promise<Unsent | undefined> {
  const { realm, site } = origin;
  const { settings } = site;
  const all = pushNotices.pushesFor({ reader: realm.reader, site, now: realm.now() }, push);
  const isOwn = ({ kind }: pushNotices.TokenPush) => sendsItself(settings, kind);
  if (push.isForBouncer !== true && all.tokens.some(isOwn)) {
    await realm.perform((tx) => devicePushes.split(tx, { entry, push, pushes: all, settings }));
    return 'split';
  }
  if (!hasPushBouncer(settings)) return 'dropped';
  const pushes = {
    ...all,
    tokens: all.tokens.filter((token) => token.kind !== 'web' && !isOwn(token)),
  };
  for (const some of inRequests(pushes)) {
    const sealed = await Promise.all(some.devices.map(sealedPush));
    const answer = await postToBouncer(`${site.settings.pushBouncerUrl}/notify`, {
      realm_url: site.url,
      devices: sealed.filter((device) => device !== undefined),
      tokens: some.tokens.map(tokenPush),
    });
    await forgetGone(origin, some, answer);
  }
  return pushes.devices.length + pushes.tokens.length === 0 ? 'dropped' : undefined;
}

/** Splits pushes into requests of a bounded size; there is none if there is no recipient. */
function* inRequests({ devices, tokens }: pushNotices.Pushes): Iterable<pushNotices.Pushes> {
  const size = DEVICES_PER_PUSH_REQUEST_MAX;
  for (let index = 0; index < devices.length + tokens.length; index += size) {
    const ofTokens = Math.max(0, index - devices.length);
    yield {
      devices: devices.slice(index, index + size),
      tokens: tokens.slice(ofTokens, Math.max(0, index + size - devices.length)),
    };
  }
}

async function sealedPush(push: pushNotices.DevicePush) {
  const encrypted_data = await sealedFor(push.publicKey, JSON.stringify(push.notice));
  if (encrypted_data === undefined) return undefined;
  return {
    device_id: push.deviceId,
    push_account_id: push.pushAccountId,
    token_kind: push.tokenKind,
    priority: priorityOf(push),
    encrypted_data,
  };
}

const tokenPush = (push: pushNotices.TokenPush) => ({
  token: push.token,
  token_kind: push.kind,
  ...(push.appId === null ? {} : { ios_app_id: push.appId }),
  priority: priorityOf(push),
  notice: push.notice,
});

const priorityOf = ({ isUrgent }: { readonly isUrgent: boolean }) => (isUrgent ? 'high' : 'normal');

async function forgetGone({ realm }: Origin, pushes: pushNotices.Pushes, answer: Posted) {
  const { success, data } = unknownToBouncer.safeParse(jsonIn(answer.text));
  if (!success) return;
  const devices = pushes.devices.filter(({ deviceId }) => data.gone_device_ids.includes(deviceId));
  const tokens = pushes.tokens.filter(({ token }) => data.gone_tokens.includes(token));
  if (devices.length + tokens.length === 0) return;
  await realm.perform((tx) => {
    for (const device of devices) pushDevices.expire(tx, device, device.deviceId);
    for (const token of tokens) pushTokens.forget(tx, token.userId, token);
  });
}

/** Posts to the bouncer. Throws if it is in trouble, so that the entry is tried again later. */
async function postToBouncer(url: string, body: object): Promise<Posted> {
  const answer = await post({
    url,
    contentType: 'application/json',
    body: JSON.stringify(body),
    timeoutMs: BOUNCER_MS_MAX,
    bytesMax: BOUNCER_ANSWER_BYTES_MAX,
    // The operator chose the URL.
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
