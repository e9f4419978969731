/** The browsers and telephones that get the pushes of the account. */
import type { ReplyOf } from '@confab/client';
import { app } from '../app.ts';

export type PushDevice = ReplyOf<'GET', '/users/me/push_devices'>['push_devices'][number];

export const pushDevices = async (): Promise<readonly PushDevice[]> =>
  (await app.chat.call('GET', '/users/me/push_devices')).push_devices;

export const removeDevice = (id: string) =>
  app.chat.call('DELETE', '/users/me/push_devices/{push_device_id}', { push_device_id: id });

/** The push service tells the make of a browser, as each make has its own. */
const MAKES: readonly (readonly [service: RegExp, name: string])[] = [
  [/(?:^|\.)googleapis\.com$/, 'Chrome, or a browser like it'],
  [/(?:^|\.)mozilla\.com$/, 'Firefox'],
  [/(?:^|\.)windows\.com$/, 'Edge'],
  [/(?:^|\.)apple\.com$/, 'Safari'],
];

/** Returns the name by which people know a device. */
export function deviceName({ kind, service }: Pick<PushDevice, 'kind' | 'service'>): string {
  if (kind === 'apns') return 'iOS device';
  if (kind === 'fcm') return 'Android device';
  return MAKES.find(([known]) => known.test(service ?? ''))?.[1] ?? 'A browser';
}

/** Returns what there is to know of a device besides its name. */
export function aboutDevice(device: PushDevice, isOwn: boolean): string {
  if (!device.is_reached) return 'not reached: this server has no key for such devices';
  if (device.status === 'pending') return 'waits for the push service';
  if (isOwn) return 'this one';
  const by = device.kind === 'web' ? device.service : device.app_id;
  return [by ?? '', device.is_encrypted ? 'encrypted' : 'not encrypted']
    .filter((part) => part !== '')
    .join(', ');
}
