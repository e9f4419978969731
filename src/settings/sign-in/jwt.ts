import { z } from 'zod';
import { common, secret } from './entry.ts';

/** RFC 7518 section 3.2: the key of HS256 has at least 256 bits. */
const HMAC_KEY_BYTES_MIN = 32;

/** Another service of the operator, whose signed tokens `POST /jwt/fetch_api_key` takes. */
export const jwt = z
  .strictObject({
    type: z.literal('jwt'),
    ...common,
    /** The algorithms of its tokens, and no others. */
    algorithms: z
      .array(z.enum(['HS256', 'RS256']))
      .min(1)
      .max(2),
    /** The secret of HS256, or the public key (PEM) of RS256. */
    key: secret,
    /** If given, tokens have to name them. */
    issuer: z.string().min(1).optional(),
    audience: z.string().min(1).optional(),
    clock_skew_seconds: z.int().min(0).max(300).default(30),
  })
  .refine(({ algorithms }) => algorithms.length === 1, {
    path: ['algorithms'],
    message: 'names both HS256 and RS256: a public key must not count as a secret',
  })
  .refine(
    ({ algorithms, key }) =>
      algorithms[0] === 'RS256'
        ? key.includes('-----BEGIN PUBLIC KEY-----')
        : Buffer.byteLength(key) >= HMAC_KEY_BYTES_MIN,
    {
      path: ['key'],
      message: 'is no public key (PEM) for RS256, or too short for HS256 (32 bytes)',
    },
  );
export type JwtEntry = z.output<typeof jwt>;
