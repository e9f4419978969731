import { createHash, createSign, generateKeyPairSync } from 'node:crypto';
import { isoCBOR } from '@simplewebauthn/server/helpers';
import { Secret, TOTP } from 'otpauth';
import { expect } from 'vitest';
import type { Reply } from '../client.ts';
import type { TestServer } from '../start-server.ts';
import type { Person } from '../users.ts';

/** The part of a server, in this process or another one, that accounts are changed at. */
interface Server {
  post(as: Person | null, path: string, params?: Record<string, unknown>): Promise<Reply>;
}

/** Returns the body of a success; refusals fail the test. */
function bodyOf({ status, body }: Reply): Reply['body'] {
  expect({ status, body }).toMatchObject({ status: 200 });
  return body;
}

const PATH = '/users/me/second_step';

/** Begins to add an app to the account. Returns its secret. */
export const beginApp = async (server: Server, as: Person, password: string): Promise<string> =>
  bodyOf(await server.post(as, `${PATH}/app`, { password })).secret;

/** Returns the code that an app of this secret shows at a time (UNIX milliseconds). */
export const codeAt = (secret: string, timestamp: number): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp });

/** Adds an app to the account, at a time of the server's clock. */
export async function addApp(server: Server, as: Person, { password, at }: NewApp) {
  const secret = await beginApp(server, as, password);
  const code = codeAt(secret, at);
  const { recovery_codes: codes } = bodyOf(await server.post(as, `${PATH}/app/confirm`, { code }));
  return { secret, codes: codes as readonly string[] };
}

interface NewApp {
  readonly password: string;
  readonly at: number;
}

const USER_PRESENT = 1;
const USER_VERIFIED = 4;
const WITH_CREDENTIAL = 64;

const digest = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest();
const base64url = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url');

interface Options {
  readonly challenge: string;
}

/** Returns a device with one passkey (ES256, WebAuthn 6), for pages of this origin. */
export function openDevice(origin: string, name = 'laptop') {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const credentialId = digest(name);
  const rpIdHash = digest(new URL(origin).hostname);
  let userHandle = '';
  const clientData = (type: string, challenge: string) =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
  const answer = (response: object) =>
    JSON.stringify({
      id: base64url(credentialId),
      rawId: base64url(credentialId),
      type: 'public-key',
      response,
      clientExtensionResults: {},
    });
  return {
    /** Makes the passkey: the answer to `POST /users/me/passkeys/options`. */
    register({ challenge, user }: Options & { readonly user: { readonly id: string } }): string {
      userHandle = user.id;
      const key = isoCBOR.encode(
        new Map<number, number | Uint8Array>([
          [1, 2],
          [3, -7],
          [-1, 1],
          [-2, new Uint8Array(Buffer.from(x, 'base64url'))],
          [-3, new Uint8Array(Buffer.from(y, 'base64url'))],
        ]),
      );
      const flags = USER_PRESENT | USER_VERIFIED | WITH_CREDENTIAL;
      const authData = Buffer.concat([
        rpIdHash,
        Buffer.from([flags, 0, 0, 0, 0]),
        Buffer.alloc(16),
        Buffer.from([0, credentialId.length]),
        credentialId,
        key,
      ]);
      const attestation = new Map<string, string | Map<string, never> | Uint8Array>([
        ['fmt', 'none'],
        ['attStmt', new Map<string, never>()],
        ['authData', new Uint8Array(authData)],
      ]);
      return answer({
        clientDataJSON: base64url(clientData('webauthn.create', challenge)),
        attestationObject: base64url(isoCBOR.encode(attestation)),
        transports: ['internal'],
      });
    },

    /** Signs with the passkey: the answer to `POST /sessions/passkey/options`. */
    sign({ challenge }: Options): string {
      const client = clientData('webauthn.get', challenge);
      const authenticatorData = Buffer.concat([
        rpIdHash,
        Buffer.from([USER_PRESENT | USER_VERIFIED, 0, 0, 0, 0]),
      ]);
      const signed = createSign('sha256').update(authenticatorData).update(digest(client));
      return answer({
        clientDataJSON: base64url(client),
        authenticatorData: base64url(authenticatorData),
        signature: base64url(signed.sign(privateKey)),
        userHandle,
      });
    },
  };
}

export type Device = ReturnType<typeof openDevice>;

/** Adds the passkey of a device to the account. Returns the answer. */
export async function addPasskey(
  server: Server,
  as: Person,
  { device, password }: { readonly device: Device; readonly password: string },
): Promise<Reply> {
  const { options } = bodyOf(await server.post(as, '/users/me/passkeys/options', { password }));
  return await server.post(as, '/users/me/passkeys', {
    name: 'My laptop',
    response: device.register(options),
  });
}

/** Stores a second step of an account, as after an app and a passkey `x` were added. */
export const giveSecondStep = ({ perform }: Pick<TestServer, 'perform'>, userId: number) =>
  perform((tx) => {
    const none = { failures: 0, failedAt: 0, yearFailures: 0, yearFrom: 0, isLocked: false };
    tx.secondSteps.put([userId], {
      ...none,
      app: 'sealed',
      pendingApp: null,
      lastStep: 0,
      recoveryHashes: ['hash'],
    });
    tx.passkeys.put([userId, 'x'], {
      name: 'My laptop',
      publicKey: '',
      counter: 0,
      transports: [],
      addedAt: 1,
    });
  });
