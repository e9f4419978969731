import { createPublicKey } from 'node:crypto';
import type { SignInEntry } from '../../config.ts';
import * as errors from '../../domain/wire/errors.ts';
import type { Site } from '../../operations/access/caller.ts';
import type { Reads } from '../../operations/access/groups.ts';
import { signInEntries } from '../../operations/access/sign-in.ts';

type JwtEntry = Extract<SignInEntry, { type: 'jwt' }>;

/** Longer tokens are refused before their signature is verified. */
const TOKEN_LENGTH_MAX = 16_384;

/**
 * Returns the address that a token names, if one of the keys of the realm has signed it (RFC 7519).
 * A token has to end, and takes the one algorithm of its entry (RFC 8725, section 3.1).
 */
export async function addressIn(reads: Reads, site: Site, token: string | undefined) {
  const entries = signInEntries(reads, site, 'jwt');
  if (entries.length === 0) throw errors.jwtNotEnabled();
  if (token === undefined || token === '') {
    throw errors.badRequest('No JSON web token passed in request');
  }
  for (const entry of token.length > TOKEN_LENGTH_MAX ? [] : entries) {
    const email = await verified(entry, token);
    if (email !== undefined) return email;
  }
  throw errors.badRequest('Bad JSON web token');
}

async function verified(entry: JwtEntry, token: string): Promise<string | undefined> {
  const { jwtVerify } = await import('jose');
  const [algorithm = 'HS256'] = entry.algorithms;
  const key = algorithm === 'RS256' ? createPublicKey(entry.key) : Buffer.from(entry.key);
  try {
    const { payload } = await jwtVerify(token, key, {
      algorithms: [algorithm],
      clockTolerance: entry.clock_skew_seconds,
      requiredClaims: ['exp', 'email'],
      ...(entry.issuer === undefined ? {} : { issuer: entry.issuer }),
      ...(entry.audience === undefined ? {} : { audience: entry.audience }),
    });
    return typeof payload['email'] === 'string' ? payload['email'] : undefined;
  } catch {
    // Any fault of a token means the same: nobody has vouched for its bearer.
    return undefined;
  }
}
