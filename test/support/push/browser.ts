import {
  createDecipheriv,
  createECDH,
  createPublicKey,
  hkdfSync,
  randomBytes,
  verify,
} from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished } from 'vitest';

/** The keys of a browser, as its subscription tells them. */
export function browserKeys() {
  const ecdh = createECDH('prime256v1');
  ecdh.generateKeys();
  const auth = randomBytes(16);
  return {
    ecdh,
    p256dh: ecdh.getPublicKey('base64url'),
    auth: auth.toString('base64url'),
  };
}

type Keys = ReturnType<typeof browserKeys>;

const derived = (from: Buffer, salt: Buffer, info: Buffer | string, length: number) =>
  Buffer.from(hkdfSync('sha256', from, salt, info, length));

/** Decrypts a body as a browser does (RFC 8188, RFC 8291). */
export function openedBy({ ecdh, auth }: Keys, body: Buffer): unknown {
  expect(body.length).toBeLessThanOrEqual(4096);
  const salt = body.subarray(0, 16);
  const idLength = body.readUInt8(20);
  const theirs = body.subarray(21, 21 + idLength);
  const record = body.subarray(21 + idLength);
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), ecdh.getPublicKey(), theirs]);
  const ikm = derived(ecdh.computeSecret(theirs), Buffer.from(auth, 'base64url'), info, 32);
  const key = derived(ikm, salt, 'Content-Encoding: aes128gcm\0', 16);
  const nonce = derived(ikm, salt, 'Content-Encoding: nonce\0', 12);
  const decipher = createDecipheriv('aes-128-gcm', key, nonce);
  decipher.setAuthTag(record.subarray(-16));
  const plain = Buffer.concat([decipher.update(record.subarray(0, -16)), decipher.final()]);
  expect(plain.at(-1)).toBe(2);
  return JSON.parse(plain.subarray(0, -1).toString('utf8'));
}

/** Checks an `Authorization` of RFC 8292 for this origin; returns the key of the sender. */
export function senderIn(authorization: string | undefined, origin: string): string {
  const [, token = '', key = ''] = /^vapid t=([^,]+), k=(.+)$/.exec(authorization ?? '') ?? [];
  const [head = '', claims = '', signature = ''] = token.split('.');
  const point = Buffer.from(key, 'base64url');
  expect(point.length).toBe(65);
  const x = point.subarray(1, 33).toString('base64url');
  const y = point.subarray(33).toString('base64url');
  const publicKey = createPublicKey({ format: 'jwk', key: { kty: 'EC', crv: 'P-256', x, y } });
  const isRight = verify(
    'sha256',
    Buffer.from(`${head}.${claims}`),
    { key: publicKey, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  );
  expect(isRight).toBe(true);
  const { aud, exp, sub } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as {
    aud: string;
    exp: number;
    sub: string;
  };
  expect(aud).toBe(origin);
  const left = exp - Date.now() / 1_000;
  expect(left > 0 && left <= 86_400).toBe(true);
  expect(sub).toMatch(/^(?:https?:|mailto:)/);
  return key;
}

export interface Pushed {
  readonly path: string;
  readonly sender: string;
  readonly ttl: number;
  readonly urgency: string;
  readonly topic: string | undefined;
  readonly notice: Record<string, unknown>;
}

/** The status of no answer at all. */
export const SILENT = 0;

/** A push service that checks what it gets, and reads it with the keys of the browser. */
export async function startPushService(
  keys: Keys,
  answer: (count: number) => { status: number; headers?: Record<string, string> } = () => ({
    status: 201,
  }),
) {
  const pushed: Pushed[] = [];
  const faults: unknown[] = [];
  let origin = '';
  let count = 0;
  const server = http.createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      try {
        const { headers } = request;
        expect(headers['content-encoding']).toBe('aes128gcm');
        pushed.push({
          path: request.url ?? '',
          sender: senderIn(headers.authorization, origin),
          ttl: Number(headers['ttl']),
          urgency: String(headers['urgency']),
          topic: headers['topic']?.toString(),
          notice: openedBy(keys, Buffer.concat(chunks)) as Record<string, unknown>,
        });
      } catch (error) {
        faults.push(error);
      }
      count += 1;
      const given = answer(count);
      // It never answers.
      if (given.status === SILENT) return;
      response.writeHead(given.status, given.headers).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { origin, pushed, faults };
}
