import type { JSONWebKeySet, JWTPayload } from 'jose';
import {
  LOGOUT_TOKEN_LENGTH_MAX,
  LOGOUT_TOKEN_MS_MAX,
  LOGOUT_TOKENS_WAITING_MAX,
  PROVIDER_KEYS_READ_MS,
  PROVIDER_KNOWN_MS,
} from '../../domain/limits/credentials.ts';
import type { LoggedOut } from '../../operations/accounts/provider-sessions.ts';
import { SignInFault } from './fault.ts';
import { keysOf, type OpenIdEntry } from './provider.ts';

/** A token that a provider has signed: it has logged this session or this person out. */
export interface LogoutToken extends LoggedOut {
  /** The same token never counts twice. */
  readonly id: string;
  /** UNIX milliseconds from which it counts no longer. */
  readonly endsAt: number;
}

/** The name of the event (OpenID Connect Back-Channel Logout 1.0, section 2.4). */
const EVENT = 'http://schemas.openid.net/event/backchannel-logout';

/** Signatures that anybody can verify and the provider alone can make (RFC 7518, RFC 8037). */
const ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];

/** Tokens of another kind say so, some providers' logout tokens do not. */
const TYPES: ReadonlySet<unknown> = new Set([undefined, 'JWT', 'jwt', 'logout+jwt']);

let waiting = 0;

/**
 * Returns what a logout token says if the provider has signed it for this client, and it is
 * complete and new (section 2.6); undefined for any other text. What anybody can see to be wrong is
 * refused before the keys are asked for. `now` is in UNIX milliseconds. Rejects with
 * a `SignInFault` if the keys cannot be read.
 */
export async function verifiedLogoutToken(
  entry: OpenIdEntry,
  token: string,
  now: number,
): Promise<LogoutToken | undefined> {
  if (token.length > LOGOUT_TOKEN_LENGTH_MAX || waiting >= LOGOUT_TOKENS_WAITING_MAX) {
    return undefined;
  }
  waiting += 1;
  try {
    const { decodeJwt, decodeProtectedHeader } = await import('jose');
    if (!TYPES.has(decodeProtectedHeader(token).typ)) return undefined;
    const said = decodeJwt(token);
    if (!isOwnIssuer(entry, said.iss) || saidIn(said, entry) === undefined) return undefined;
    return saidIn(await signed(entry, token, { issuer: said.iss, now }), entry);
  } catch (error) {
    if (error instanceof SignInFault) throw error;
    // Any fault of a token means the same: nobody is logged out.
    return undefined;
  } finally {
    waiting -= 1;
  }
}

/** An operator may write the slash after a host, or leave it out; discovery takes both. */
const isOwnIssuer = ({ issuer }: OpenIdEntry, said: string | undefined): said is string =>
  said !== undefined && URL.canParse(said) && new URL(said).href === new URL(issuer).href;

interface Expected {
  readonly issuer: string;
  /** UNIX milliseconds. */
  readonly now: number;
}

/** Returns the claims of a token whose signature is right, perhaps by keys that are new. */
async function signed(
  entry: OpenIdEntry,
  token: string,
  { issuer, now }: Expected,
): Promise<JWTPayload> {
  const { jwtVerify, createLocalJWKSet } = await import('jose');
  const verify = async (keys: JSONWebKeySet) => {
    const { payload } = await jwtVerify(token, createLocalJWKSet(keys), {
      algorithms: ALGORITHMS,
      issuer,
      audience: entry.client_id,
      clockTolerance: entry.clock_skew_seconds,
      currentDate: new Date(now),
      maxTokenAge: LOGOUT_TOKEN_MS_MAX / 1000,
    });
    return payload;
  };
  const keys = await knownKeys(entry, PROVIDER_KNOWN_MS);
  try {
    return await verify(keys);
  } catch (error) {
    const newer = await knownKeys(entry, PROVIDER_KEYS_READ_MS);
    if (newer === keys) throw error;
    return await verify(newer);
  }
}

interface Known {
  readonly at: number;
  readonly keys: Promise<JSONWebKeySet>;
}

/** Keys of providers by their entries, which live as long as the process; failures stay as well. */
const known = new WeakMap<OpenIdEntry, Known>();

async function knownKeys(entry: OpenIdEntry, ageMsMax: number): Promise<JSONWebKeySet> {
  const former = known.get(entry);
  const age = former === undefined ? Number.POSITIVE_INFINITY : Date.now() - former.at;
  if (former !== undefined && age < ageMsMax) {
    const [result] = await Promise.allSettled([former.keys]);
    if (result.status === 'fulfilled') return result.value;
    if (age < PROVIDER_KEYS_READ_MS) throw result.reason;
  }
  const keys = keysOf(entry);
  known.set(entry, { at: Date.now(), keys });
  return await keys;
}

function saidIn(claims: JWTPayload, entry: OpenIdEntry): LogoutToken | undefined {
  const { iss: issuer, sub: subject, jti: id, iat, sid, events } = claims;
  if (issuer === undefined || typeof iat !== 'number') return undefined;
  if (typeof id !== 'string' || id === '' || 'nonce' in claims) return undefined;
  if (!isObject(events) || !isObject(events[EVENT])) return undefined;
  if (!isTextOrNone(sid) || !isTextOrNone(subject)) return undefined;
  if (sid === undefined && subject === undefined) return undefined;
  const endsAt = (iat + 2 * entry.clock_skew_seconds) * 1000 + LOGOUT_TOKEN_MS_MAX;
  return { issuer, subject, sid, id, endsAt };
}

const isTextOrNone = (value: unknown): value is string | undefined =>
  value === undefined || (typeof value === 'string' && value !== '');

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
