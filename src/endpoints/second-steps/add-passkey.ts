import { z } from 'zod';
import {
  CHALLENGE_LIFE_MS,
  PASSKEY_NAME_LENGTH_MAX,
  PASSKEY_RESPONSE_LENGTH_MAX,
} from '../../domain/limits/credentials.ts';
import * as errors from '../../domain/wire/errors.ts';
import { accountOfUser } from '../../operations/access/authentication.ts';
import * as passkeys from '../../operations/second-steps/passkeys.ts';
import { endpoint } from '../endpoint.ts';
import { textUpTo } from '../params.ts';
import { people } from '../permissions.ts';
import { confirmPerson } from './confirm-person.ts';
import { CONFIRMED } from './confirmed.ts';
import { challengeIn, responseOf } from './passkey-response.ts';
import { relyingParty } from './relying-party.ts';
import { webauthn } from './webauthn.ts';

const purposeOf = (userId: number) => `add ${userId}`;

export const passkeyOptions = endpoint({
  summary: 'Begin to add a passkey',
  method: 'POST',
  path: '/users/me/passkeys/options',
  ...CONFIRMED,
  reply: {
    options: z
      .record(z.string(), z.unknown())
      .describe('`PublicKeyCredentialCreationOptionsJSON` of WebAuthn, level 3'),
  },
  exchange(request, { realm, answer, refuse }) {
    const { user, site, now } = request;
    const begin = async () => {
      await confirmPerson(realm, request);
      const { reader } = realm;
      passkeys.refuseMany(reader, user.id);
      const { generateRegistrationOptions } = await webauthn();
      const options = await generateRegistrationOptions({
        rpName: reader.realm.get(['realm'])?.name ?? '',
        rpID: relyingParty(site).id,
        userID: new Uint8Array(Buffer.from(`${user.id}`)),
        userName: user.email,
        userDisplayName: user.fullName,
        challenge: new Uint8Array(passkeys.challenge(reader, purposeOf(user.id), now)),
        timeout: CHALLENGE_LIFE_MS,
        attestationType: 'none',
        excludeCredentials: [...reader.passkeys.keysUnder([user.id])].map(([, id]) => ({ id })),
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      });
      return { options: { ...options } };
    };
    begin().then(answer, refuse);
  },
});

export const addPasskey = endpoint({
  summary: 'Add a passkey',
  description:
    'A passkey logs in without a password. As long as an account has one, its password alone lets nobody in.',
  method: 'POST',
  path: '/users/me/passkeys',
  emits: ['realm_user'],
  allow: people,
  addsSecondStep: true,
  params: {
    name: textUpTo(PASSKEY_NAME_LENGTH_MAX).trim().min(1, 'cannot be blank'),
    response: textUpTo(PASSKEY_RESPONSE_LENGTH_MAX).describe(
      '`RegistrationResponseJSON` of WebAuthn, level 3',
    ),
  },
  refuses: ['BAD_REQUEST', 'SECOND_STEP_FAILED'],
  holdsSecret: true,
  reply: { recovery_codes: z.array(z.string()).describe('With the first app or passkey') },
  exchange({ user, site, params, now }, { realm, answer, refuse }) {
    const add = async () => {
      const response = responseOf(params.response);
      const answered = challengeIn(response);
      const { id: expectedRPID, origins: expectedOrigin } = relyingParty(site);
      const { verifyRegistrationResponse } = await webauthn();
      const verified = await verifyRegistrationResponse({
        response: response as never,
        expectedChallenge: (text) =>
          text === answered && passkeys.isChallenge(realm.reader, purposeOf(user.id), text, now),
        expectedOrigin,
        expectedRPID,
        requireUserVerification: true,
      }).catch(() => undefined);
      if (!verified?.verified) throw errors.badRequest('The passkey was not accepted.');
      const { id, publicKey, counter, transports = [] } = verified.registrationInfo.credential;
      const row = {
        name: params.name,
        publicKey: Buffer.from(publicKey).toString('base64url'),
        counter,
        transports,
      };
      return await realm.perform((tx) => {
        const owner = { user: accountOfUser(tx, user.id), site };
        return { recovery_codes: passkeys.add(tx, owner, { id, row, answered }) };
      }, user.id);
    };
    add().then(answer, refuse);
  },
});
