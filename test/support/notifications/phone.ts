import sodium from 'libsodium-wrappers';
import { expect } from 'vitest';
import type { HeardRequest } from './listener.ts';

await sodium.ready;
const keys = sodium.crypto_box_keypair();

/** A telephone: what it tells of its key, and what it reads of what was encrypted for it. */
export const PHONE_KEY = Buffer.from(keys.publicKey).toString('base64');

const opened = (encrypted: string): unknown =>
  JSON.parse(
    Buffer.from(
      sodium.crypto_box_seal_open(
        Buffer.from(encrypted, 'base64'),
        keys.publicKey,
        keys.privateKey,
      ),
    ).toString('utf8'),
  );

/** Returns a request to the bouncer with the parts decrypted that only the telephones can read. */
export function toldIn(request: HeardRequest) {
  expect(request.path).toMatch(/\/notify$/);
  const { devices, ...rest } = JSON.parse(request.body) as {
    devices: { encrypted_data: string }[];
    tokens: { token: string; notice: { message_id?: number; message_ids?: number[] } }[];
  };
  return {
    ...rest,
    devices: devices.map(({ encrypted_data, ...device }) => ({
      ...device,
      notice: opened(encrypted_data),
    })),
  };
}
