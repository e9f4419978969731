import { z } from 'zod';
import { ofPeople, providerUrl, secret } from './entry.ts';

/** A provider of OpenID Connect (OpenID Connect Core 1.0), found by its discovery document. */
export const openid = z.strictObject({
  type: z.literal('openid'),
  ...ofPeople,
  /** The issuer: `/.well-known/openid-configuration` follows it. */
  issuer: providerUrl,
  client_id: z.string().min(1),
  /** Absent: a public client, which PKCE alone protects. */
  client_secret: secret.optional(),
  /**
   * The way in which the secret is sent (OpenID Connect Core 1.0, section 9). Absent: in the body,
   * unless the provider says that it takes none there. Some take one way alone from each client.
   */
  token_endpoint_auth_method: z.enum(['client_secret_post', 'client_secret_basic']).optional(),
  scopes: z
    .array(z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/, 'is no scope'))
    .default(['openid', 'email', 'profile'])
    .refine((scopes) => scopes.includes('openid'), 'does not contain openid'),
  /** An image for the button; the page of the web client shows one that is in the URL itself. */
  display_icon: z
    .string()
    .max(32_768)
    .regex(/^(https:\/\/|data:image\/)\S+$/, 'is not a URL of https or data:image/')
    .optional(),
  /** True if its addresses count as verified without `email_verified`. */
  trusts_email: z.boolean().default(false),
  /** The claim with the groups of a person, for `grants`. */
  groups_claim: z.string().min(1).default('groups'),
  /** True if people who log out here are led to the provider, to log out there as well. */
  logs_out: z.boolean().default(false),
  /** How far the provider's clock may differ. */
  clock_skew_seconds: z.int().min(0).max(300).default(30),
});
export type OpenIdEntry = z.output<typeof openid>;
