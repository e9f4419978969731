import { table } from '../table.ts';

/** A device that may be pushed to, through a bouncer that alone can read what it registered with. */
export interface PushDeviceRow {
  readonly tokenKind: 'fcm' | 'apns';
  /** Base64: what is encrypted for the device is encrypted with it. */
  readonly publicKey: string;
  readonly bouncerPublicKey: string;
  /** Base64; read by the bouncer alone. */
  readonly encryptedRegistration: string;
  readonly status: 'pending' | 'active' | 'failed';
  readonly errorCode: string | null;
  /** What the bouncer calls it, once it has accepted it. */
  readonly bouncerDeviceId: string | null;
}

/** The id is the client's own, of 64 bits, so it is text here. */
export const pushDevices = table<[userId: number, pushAccountId: string], PushDeviceRow>(
  'push_devices',
  [
    'tokenKind',
    'publicKey',
    'bouncerPublicKey',
    'encryptedRegistration',
    'status',
    'errorCode',
    'bouncerDeviceId',
  ],
);
