import { pushDevices } from '../store/account/push-devices.ts';
import { ask } from './ask.ts';
import { keptText } from './kept-text.ts';

/** How it stands with pushes to this browser. */
export type PushState = 'not supported' | 'not offered' | 'denied' | 'off' | 'on';

const WORKER = '/service-worker.js';

/** The account that has turned pushes on here: the browser may be used by several people. */
const owner = keptText('confab.pushes');
/** The id of the subscription that the server was told of. */
const told = keptText('confab.pushes.told');

const isSupported = () =>
  'serviceWorker' in navigator && 'PushManager' in globalThis && 'Notification' in globalThis;

/** Returns the subscription of this browser, if it has one. */
async function subscription(): Promise<PushSubscription | null> {
  const registration = await navigator.serviceWorker.getRegistration('/');
  return (await registration?.pushManager.getSubscription()) ?? null;
}

const serverKey = async (): Promise<string | null> => {
  const { application_server_key: key } = await ask('GET', '/users/me/web_push');
  return typeof key === 'string' ? key : null;
};

/** Returns how it stands with this browser, and all that gets pushes for the account. */
export async function standing(account: number) {
  const state = await pushState(account);
  const known = state === 'on' ? await subscription() : null;
  return {
    state,
    /** The id of this browser among the devices. */
    ownId: known === null ? null : await idOf(known),
    devices: await pushDevices(),
  };
}

/** Returns how it stands, and tells the server of a browser that is subscribed. */
async function pushState(account: number): Promise<PushState> {
  if (!isSupported()) return 'not supported';
  if (Notification.permission === 'denied') return 'denied';
  const key = await serverKey();
  if (key === null) return 'not offered';
  return await kept(key, account);
}

/**
 * Called after the page was loaded, where pushes may be on: the browser or the server may have
 * forgotten the subscription meanwhile, or somebody else may have logged in.
 */
export async function keepPushes(account: number): Promise<void> {
  if (!isSupported() || (await subscription()) === null) return;
  await pushState(account);
}

/** Has the subscription be one of this account, with the present key of the server. */
async function kept(key: string, account: number): Promise<PushState> {
  const known = await subscription();
  if (known === null || Notification.permission !== 'granted') return 'off';
  const own = owner.read() ?? String(account);
  if (own !== String(account)) {
    // The push service answers 410 from now on, and the server forgets the subscription.
    await known.unsubscribe();
    return 'off';
  }
  // An organization that has moved has another key, for which the browser has to subscribe again.
  if (keyOf(known) !== key) {
    await known.unsubscribe();
    await subscribe(key);
  } else if (!(await isKnown(known)) && !(await tellOnce(known))) return 'off';
  owner.write(String(account));
  return 'on';
}

async function isKnown(known: PushSubscription): Promise<boolean> {
  const id = await idOf(known);
  const isThere = (await pushDevices()).some((one) => one.id === id);
  if (isThere) told.write(id);
  return isThere;
}

/**
 * Tells the server of a subscription that it does not know. If it was told before, the browser was
 * taken off the list elsewhere, or is gone for its push service: the subscription ends.
 */
async function tellOnce(known: PushSubscription): Promise<boolean> {
  if (told.read() === (await idOf(known))) {
    await known.unsubscribe();
    return false;
  }
  await tell(known);
  return true;
}

/** Asks the user and subscribes. A browser lets pages ask after a click alone. */
export async function turnOn(account: number): Promise<PushState> {
  const permission = await Notification.requestPermission();
  if (permission !== 'granted') return permission === 'denied' ? 'denied' : 'off';
  const key = await serverKey();
  if (key === null) return 'not offered';
  await navigator.serviceWorker.register(workerUrl(), { scope: '/', updateViaCache: 'none' });
  await subscribe(key);
  owner.write(String(account));
  return 'on';
}

async function subscribe(key: string): Promise<void> {
  const { pushManager } = await navigator.serviceWorker.ready;
  const options = { userVisibleOnly: true, applicationServerKey: key };
  const made = await inTime(pushManager.subscribe(options)).catch((error: unknown) => {
    const words = error instanceof Error ? error.message : String(error);
    throw new Error(
      `The browser could not subscribe to its push service (${words}). Private windows cannot, and some networks block it.`,
    );
  });
  await tell(made);
}

/** Browsers that do not reach their push service say nothing, or not for minutes. */
const SUBSCRIBED_MS_MAX = 20_000;

const inTime = <Value>(work: Promise<Value>): Promise<Value> =>
  Promise.race([
    work,
    new Promise<never>((_, reject) => {
      setTimeout(() => reject(new Error('it does not answer')), SUBSCRIBED_MS_MAX);
    }),
  ]);

/**
 * Called when nobody is logged in any more: those who sit here next are told of nothing. The server
 * cannot be told, and learns it from the push service.
 */
export async function dropPushes(): Promise<void> {
  if (!isSupported()) return;
  await (await subscription())?.unsubscribe();
  const registration = await navigator.serviceWorker.getRegistration('/');
  for (const shown of (await registration?.getNotifications()) ?? []) shown.close();
}

/** Ends the subscription here and at the server. */
export async function turnOff(): Promise<PushState> {
  const known = await subscription();
  if (known !== null) {
    await ask('DELETE', '/users/me/web_push', { endpoint: known.endpoint }).catch(() => undefined);
    await known.unsubscribe();
  }
  return 'off';
}

/** Has the server push a test to this browser. */
export async function tryOut(): Promise<void> {
  const known = await subscription();
  if (known === null) throw new Error('This browser is not subscribed.');
  await ask('POST', '/mobile_push/test_notification', { token: known.endpoint });
}

async function tell(known: PushSubscription): Promise<void> {
  const { endpoint, keys = {} } = known.toJSON();
  await ask('POST', '/users/me/web_push', { endpoint, p256dh: keys['p256dh'], auth: keys['auth'] });
  told.write(await idOf(known));
}

const ID_BYTES = 8;

/** Returns the id that the server has for a browser, a part of the hash of its address. */
async function idOf({ endpoint }: PushSubscription): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(endpoint));
  return Array.from(new Uint8Array(hash, 0, ID_BYTES), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
}

function keyOf({ options }: PushSubscription): string {
  const bytes = new Uint8Array(options.applicationServerKey ?? new ArrayBuffer(0));
  const base64 = btoa(String.fromCharCode(...bytes));
  return base64.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

interface Policies {
  createPolicy(name: string, rules: object): { createScriptURL(url: string): string };
}

let policy: ReturnType<Policies['createPolicy']> | undefined;

/** The policy of the page takes addresses of scripts from here alone, and this is the only one. */
function workerUrl(): string {
  const { trustedTypes } = globalThis as { trustedTypes?: Policies };
  if (trustedTypes === undefined) return WORKER;
  policy ??= trustedTypes.createPolicy('confab-worker', { createScriptURL: () => WORKER });
  return policy.createScriptURL(WORKER);
}
