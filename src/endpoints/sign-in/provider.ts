import type { JSONWebKeySet } from 'jose';
import type * as Library from 'openid-client';
import type { SignInEntry } from '../../config.ts';
import {
  PROVIDER_ANSWER_BYTES_MAX,
  PROVIDER_KNOWN_MS,
  PROVIDER_MS_MAX,
  PROVIDER_REQUESTS_MAX,
} from '../../domain/limits/credentials.ts';
import type { ProviderSession } from '../../operations/accounts/provider-sessions.ts';
import type { Vouched } from '../../operations/accounts/vouched.ts';
import { codeOf, SignInFault } from './fault.ts';

export type OpenIdEntry = Extract<SignInEntry, { type: 'openid' }>;

/** The library is loaded when somebody first signs in: most servers have no provider. */
const library = () => import('openid-client');

interface Known {
  readonly at: number;
  readonly metadata: Promise<Library.ServerMetadata>;
}

/** Metadata of providers by their entries, which live as long as the process. */
const known = new WeakMap<OpenIdEntry, Known>();
let underWay = 0;

/** The secrets of one attempt; the browser has them in a cookie. */
export interface Attempt {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** Returns the address at the provider to which the browser goes. */
export const authorizationUrl = (
  entry: OpenIdEntry,
  { state, nonce, verifier }: Attempt,
  returnTo: string,
) =>
  bounded(async () => {
    const client = await library();
    const config = await configurationOf(entry);
    return client.buildAuthorizationUrl(config, {
      redirect_uri: returnTo,
      scope: entry.scopes.join(' '),
      state,
      nonce,
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    }).href;
  });

/**
 * Takes the code that the browser brings back, and returns the person (OpenID Connect Core 1.0,
 * sections 3.1.3 and 5.3). The signature of the ID token is verified although it comes from the
 * provider itself, so that a faulty proxy on the way vouches for nobody.
 */
export const personOf = (entry: OpenIdEntry, { state, nonce, verifier }: Attempt, came: URL) =>
  bounded(async (): Promise<SignedIn> => {
    const client = await library();
    const config = await configurationOf(entry);
    const tokens = await client.authorizationCodeGrant(config, came, {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: verifier,
      idTokenExpected: true,
    });
    const claims = tokens.claims();
    if (claims === undefined) throw new SignInFault('no_id_token');
    const isTold =
      claims['email'] !== undefined && (entry.grants.length === 0 || entry.groups_claim in claims);
    const more =
      isTold || config.serverMetadata().userinfo_endpoint === undefined
        ? {}
        : await client.fetchUserInfo(config, tokens.access_token, claims.sub);
    const all = { ...more, ...claims };
    const { sid } = claims;
    const session = {
      entry: entry.name,
      issuer: claims.iss,
      sid: typeof sid === 'string' && sid !== '' ? sid : null,
      idToken: tokens.id_token ?? '',
      endSessionUrl: endSessionUrlOf(entry, config.serverMetadata()),
    };
    return { person: vouched(entry, all), session };
  });

interface SignedIn {
  readonly person: Vouched;
  readonly session: ProviderSession;
}

/** The provider says where people log out; the address has to be as trusted as its issuer's. */
function endSessionUrlOf(
  entry: OpenIdEntry,
  { end_session_endpoint: url }: Library.ServerMetadata,
) {
  if (url === undefined || url.length > END_SESSION_URL_LENGTH_MAX) return null;
  const isSafe = url.startsWith('https://') || new URL(entry.issuer).protocol === 'http:';
  return isSafe && URL.canParse(url) ? url : null;
}

/** Longer ones are no addresses of pages. */
const END_SESSION_URL_LENGTH_MAX = 2_000;

/**
 * Returns the keys with which a provider signs (RFC 7517). Its metadata is read again as well if it
 * is old.
 */
export const keysOf = (entry: OpenIdEntry) =>
  bounded(async (): Promise<JSONWebKeySet> => {
    const { jwks_uri: url } = await metadataOf(entry);
    if (url === undefined) throw new SignInFault('refused');
    const answer = await boundedFetch(url, {
      method: 'GET',
      headers: {},
      body: undefined,
      redirect: 'manual',
    });
    if (answer.status !== 200) throw new SignInFault('refused');
    return (await answer.json()) as JSONWebKeySet;
  });

function vouched(entry: OpenIdEntry, claims: Readonly<Record<string, unknown>>): Vouched {
  const text = (name: string) => {
    const { [name]: value } = claims;
    return typeof value === 'string' ? value : '';
  };
  const groups = claims[entry.groups_claim];
  const email = text('email');
  return {
    issuer: text('iss'),
    subject: text('sub'),
    email: email === '' ? null : email,
    isEmailProved: entry.trusts_email || claims['email_verified'] === true,
    fullName: text('name') || text('preferred_username'),
    groups: (Array.isArray(groups) ? groups : [groups]).filter((one) => typeof one === 'string'),
  };
}

/** Runs an exchange with a provider, unless too many are under way; its errors get a name. */
async function bounded<Result>(run: () => Promise<Result>): Promise<Result> {
  if (underWay >= PROVIDER_REQUESTS_MAX) throw new SignInFault('busy');
  underWay += 1;
  try {
    return await run();
  } catch (error) {
    throw error instanceof SignInFault ? error : new SignInFault(codeOf(error), error);
  } finally {
    underWay -= 1;
  }
}

/**
 * Returns the provider as a client of it. The metadata is kept for a while; its keys are read for
 * each log-in, so that a provider may change them at any moment.
 */
async function configurationOf(entry: OpenIdEntry): Promise<Library.Configuration> {
  const client = await library();
  const secret = entry.client_secret;
  const metadata = {
    ...(secret === undefined ? {} : { client_secret: secret }),
    [client.clockTolerance]: entry.clock_skew_seconds,
  };
  const auth = secret === undefined ? client.None() : undefined;
  const server = await metadataOf(entry);
  // By default the library sends the secret in the body, which some providers do not take.
  const isBasic =
    entry.token_endpoint_auth_method === undefined
      ? server.token_endpoint_auth_methods_supported?.includes('client_secret_post') === false
      : entry.token_endpoint_auth_method === 'client_secret_basic';
  const config = new client.Configuration(
    server,
    entry.client_id,
    metadata,
    auth ?? (isBasic ? client.ClientSecretBasic(secret) : client.ClientSecretPost(secret)),
  );
  config[client.customFetch] = boundedFetch;
  config.timeout = PROVIDER_MS_MAX / 1000;
  client.enableNonRepudiationChecks(config);
  if (entry.issuer.startsWith('http:')) client.allowInsecureRequests(config);
  return config;
}

/** A status by which the provider, or what stands before it, says that it does not work now. */
class AnswerFault extends Error {
  readonly code: string;

  constructor(status: number) {
    super(`the provider has answered ${status}`);
    this.code = `HTTP_${status}`;
  }
}

async function metadataOf(entry: OpenIdEntry): Promise<Library.ServerMetadata> {
  const former = known.get(entry);
  if (former !== undefined && Date.now() - former.at < PROVIDER_KNOWN_MS)
    return await former.metadata;
  const metadata = discovered(entry);
  known.set(entry, { at: Date.now(), metadata });
  try {
    return await metadata;
  } catch (error) {
    // The next attempt asks again.
    if (known.get(entry)?.metadata === metadata) known.delete(entry);
    throw error;
  }
}

async function discovered(entry: OpenIdEntry): Promise<Library.ServerMetadata> {
  const client = await library();
  const config = await client.discovery(
    new URL(entry.issuer),
    entry.client_id,
    undefined,
    client.None(),
    {
      [client.customFetch]: boundedFetch,
      timeout: PROVIDER_MS_MAX / 1000,
      ...(entry.issuer.startsWith('http:') ? { execute: [client.allowInsecureRequests] } : {}),
    },
  );
  return config.serverMetadata();
}

/** Fetches an answer whole, within bounds of time and bytes, and follows no redirect. */
const boundedFetch: Library.CustomFetch = async (url, { body, ...options }) => {
  const signal = AbortSignal.any([
    AbortSignal.timeout(PROVIDER_MS_MAX),
    ...(options.signal == null ? [] : [options.signal]),
  ]);
  const response = await fetch(url, {
    ...options,
    body: body as BodyInit,
    redirect: 'manual',
    signal,
  });
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    // Leaving the loop cancels the rest.
    if (bytes > PROVIDER_ANSWER_BYTES_MAX) throw new SignInFault('too_large');
    chunks.push(chunk);
  }
  const { status, headers } = response;
  // A proxy before a provider that is down answers for it.
  if (status >= 500) throw new SignInFault('unreachable', new AnswerFault(status));
  return new Response(status === 204 || status === 304 ? null : Buffer.concat(chunks), {
    status,
    headers,
  });
};
