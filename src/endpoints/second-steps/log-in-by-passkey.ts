import { z } from 'zod';
import type { Realm } from '../../../actors/realm/realm-handle.ts';
import { CHALLENGE_LIFE_MS, PASSKEY_RESPONSE_LENGTH_MAX } from '../../domain/limits/credentials.ts';
import * as errors from '../../domain/wire/errors.ts';
import type { Site } from '../../operations/access/caller.ts';
import * as realms from '../../operations/access/realms.ts';
import { beginPasskeySession } from '../../operations/accounts/logins.ts';
import * as passkeys from '../../operations/second-steps/passkeys.ts';
import { endpoint } from '../endpoint.ts';
import { textUpTo } from '../params.ts';
import { beginIn, browserOf, kept, newBrowser, sessionOf } from '../sessions/browser.ts';
import { challengeIn, responseOf } from './passkey-response.ts';
import { relyingParty } from './relying-party.ts';
import { webauthn } from './webauthn.ts';

const PURPOSE = 'log in';

export const passkeyLogInOptions = endpoint({
  summary: 'Begin to log a browser in with a passkey',
  description: 'The answer names no account: the browser offers the passkeys that it has here.',
  method: 'POST',
  needsNoSpace: true,
  path: '/sessions/passkey/options',
  rate: 'logIn',
  params: {},
  reply: {
    options: z
      .record(z.string(), z.unknown())
      .describe('`PublicKeyCredentialRequestOptionsJSON` of WebAuthn, level 3'),
  },
  refuses: ['BAD_REQUEST', 'REALM_DEACTIVATED', 'NONEXISTENT_SUBDOMAIN'],
  visit({ realm, site, from, answer, refuse }) {
    if (realm === undefined) throw errors.nonexistentSubdomain();
    browserOf(from, site);
    realms.refuseDeactivated(realm.reader);
    const begin = async () => {
      const { generateAuthenticationOptions } = await webauthn();
      const options = await generateAuthenticationOptions({
        rpID: relyingParty(site).id,
        challenge: new Uint8Array(passkeys.challenge(realm.reader, PURPOSE, realm.now())),
        timeout: CHALLENGE_LIFE_MS,
        userVerification: 'required',
      });
      return { options: { ...options } };
    };
    void begin().then(answer, refuse);
  },
});

export const logInByPasskey = endpoint({
  summary: 'Log a browser in with a passkey',
  description:
    'It stands for the password and the second step, since the device asks for a PIN or a fingerprint. For pages of this server.',
  method: 'POST',
  needsNoSpace: true,
  path: '/sessions/passkey',
  rate: 'logIn',
  params: {
    response: textUpTo(PASSKEY_RESPONSE_LENGTH_MAX).describe(
      '`AuthenticationResponseJSON` of WebAuthn, level 3',
    ),
  },
  reply: { email: z.string(), user_id: z.int() },
  refuses: [
    'REQUEST_VARIABLE_MISSING',
    'BAD_REQUEST',
    'SECOND_STEP_FAILED',
    'USER_DEACTIVATED',
    'REALM_DEACTIVATED',
    'NONEXISTENT_SUBDOMAIN',
  ],
  visit({ params, realm, site, from, answer, refuse }) {
    if (realm === undefined) throw errors.nonexistentSubdomain();
    const browser = browserOf(from, site);
    realms.refuseDeactivated(realm.reader);
    const former = sessionOf(realm, site, from);
    void verified(realm, site, params.response)
      .then((use) =>
        realm.perform((tx) =>
          beginIn(tx, former, () => beginPasskeySession(tx, use, newBrowser(from, 'passkey'))),
        ),
      )
      .then((begun) => answer(kept(browser, begun)), refuse);
  },
});

/** Verifies what a passkey has signed (WebAuthn 7.2), and returns whose it is. */
async function verified(realm: Realm, site: Site, text: string) {
  const { reader } = realm;
  const response = responseOf(text);
  const answered = challengeIn(response);
  const handle = Buffer.from(response.response.userHandle ?? '', 'base64url').toString('latin1');
  const userId = /^\d{1,15}$/.test(handle) ? Number(handle) : 0;
  const { id } = response;
  const row = reader.passkeys.get([userId, id]);
  if (row === undefined) throw errors.secondStepFailed();
  const { id: expectedRPID, origins: expectedOrigin } = relyingParty(site);
  const { verifyAuthenticationResponse } = await webauthn();
  const outcome = await verifyAuthenticationResponse({
    response: response as never,
    expectedChallenge: (challenge) =>
      challenge === answered && passkeys.isChallenge(reader, PURPOSE, challenge, realm.now()),
    expectedOrigin,
    expectedRPID,
    // The transaction compares the counter, so that one answer cannot be sent twice at once.
    credential: {
      id,
      publicKey: new Uint8Array(Buffer.from(row.publicKey, 'base64url')),
      counter: 0,
    },
    requireUserVerification: true,
  }).catch(() => undefined);
  if (!outcome?.verified) throw errors.secondStepFailed();
  return { userId, id, counter: outcome.authenticationInfo.newCounter, answered };
}
