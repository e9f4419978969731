import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { ofPeople, secret } from './entry.ts';

const CA_BYTES_MAX = 1_048_576;
const attribute = z.string().regex(/^[A-Za-z][A-Za-z0-9;.-]{0,126}$/, 'is no name of an attribute');

/** Each value that `{name}` stands for is a whole one, so that `*` can stand there in a sync. */
const NAME_PLACE = '={name})';

const certificates = z.string().transform((path, context): string => {
  try {
    const text = readFileSync(path, 'utf8');
    if (text.length <= CA_BYTES_MAX && text.includes('-----BEGIN CERTIFICATE-----')) return text;
  } catch {
    // The message below says it.
  }
  context.addIssue({ code: 'custom', message: `names a file without certificates (PEM): ${path}` });
  return z.NEVER;
});

function isFilter(text: string): boolean {
  let depth = 0;
  for (const [index, char] of [...text].entries()) {
    if (char === '(') depth += 1;
    if (char === ')') depth -= 1;
    if (depth < 0 || (depth === 0 && index < text.length - 1)) return false;
  }
  return depth === 0 && text.startsWith('(');
}

/** A directory (LDAP version 3, RFC 4511) that people log in with, and that accounts follow. */
export const ldap = z
  .strictObject({
    type: z.literal('ldap'),
    ...ofPeople,
    url: z
      .string()
      .refine(
        (url) => /^ldaps?:\/\/[^/?#@]+\/?$/.test(url) && URL.canParse(url),
        'is not like ldaps://host or ldap://host:port',
      ),
    /** TLS on a connection of `ldap://` (RFC 4511 section 4.14). */
    start_tls: z.boolean().default(false),
    /** The certificates that the directory's has to come from; absent: those of Node. */
    ca_file: certificates.optional(),
    /** Passwords go over the network in plain text without TLS: only this allows it. */
    allows_plain_text: z.boolean().default(false),
    /** The account that searches; absent: anybody may search there. */
    bind_dn: z.string().min(1).optional(),
    bind_password: secret.optional(),
    /** Below this the people are. */
    base: z.string().min(1),
    /** The filter of RFC 4515 that finds a person, with `{name}` for what was typed. */
    filter: z
      .string()
      .max(4_096)
      .default('(&(objectClass=inetOrgPerson)(|(uid={name})(mail={name})))')
      .refine(isFilter, 'is no filter in one pair of brackets')
      .refine(
        (text) => text.includes(NAME_PLACE) && !text.replaceAll(NAME_PLACE, '').includes('{name}'),
        'does not have {name} as the whole value of an attribute',
      ),
    /** The attributes that the fields of an account come from. */
    attributes: z
      .strictObject({
        /** Never given to another person: `entryUUID` (RFC 4530), or `objectGUID`. */
        id: attribute.default('entryUUID'),
        address: attribute.default('mail'),
        name: attribute.default('cn'),
        timezone: attribute.optional(),
        /** The groups of a person, for `grants`. */
        groups: attribute.default('memberOf'),
      })
      .prefault({}),
    /** Minutes between two syncs; 0: only `confab ldap sync` does it. */
    sync_minutes: z.int().min(0).max(10_080).default(60),
    /** A sync that would deactivate more of its accounts, in percent, does nothing. */
    deactivates_percent_max: z.int().min(0).max(100).default(10),
    /** Milliseconds that a log-in waits for the directory. */
    timeout_ms: z.int().min(100).max(30_000).default(8_000),
  })
  .refine(({ url, start_tls }) => !(start_tls && url.startsWith('ldaps:')), {
    path: ['start_tls'],
    message: 'is for ldap://, and ldaps:// has TLS anyway',
  })
  .refine(
    ({ url, start_tls, allows_plain_text }) =>
      start_tls || allows_plain_text || url.startsWith('ldaps:'),
    {
      path: ['url'],
      message: 'is without TLS: passwords would be read on the way (start_tls, allows_plain_text)',
    },
  )
  .refine((entry) => (entry.bind_dn === undefined) === (entry.bind_password === undefined), {
    path: ['bind_password'],
    message: 'is missing, or bind_dn is: they go together',
  });
export type LdapEntry = z.output<typeof ldap>;
