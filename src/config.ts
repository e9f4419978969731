import { isIP } from 'node:net';
import { z } from 'zod';
import {
  ANONYMOUS_REQUESTS_PER_MINUTE,
  FILE_MIB,
  FILE_MIB_MAX,
  FREE_MIB_MAX,
  INVITATION_MINUTES,
  INVITATION_MINUTES_MAX,
  LOGINS_PER_MINUTE,
  MAILS_PER_MINUTE,
  REQUESTS_PER_MINUTE,
  REQUESTS_PER_MINUTE_MAX,
  SEARCHES_PER_MINUTE,
  SENDS_PER_MINUTE,
  UPLOADS_PER_MINUTE,
} from './domain/limits.ts';
import { GRAVATAR_URL } from './domain/rules/people/gravatar.ts';
import type { RateLimits } from './endpoints/admission.ts';

/** Settings of the process; the only reader of its environment. Each has a row in docs/settings.md. */
export interface Config {
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  /** The data directory. */
  readonly data: string;
  readonly logLevel: (typeof LOG_LEVELS)[number];
  readonly tls: { readonly key: string; readonly cert: string } | null;
  readonly aliasPrefix: string;
  /** Where mails are sent; null: they are written into a folder of the data directory. */
  readonly smtpUrl: string | null;
  /** Presence is told only to those who may know of the user (guests may not know of everybody). */
  readonly limitsPresence: boolean;
  readonly makesDemo: boolean;
  /** Whether the operator has said that there is to be a demo realm. */
  readonly wantsDemo: boolean;
  /** Whether realms may show web-public channels to those who are not logged in. */
  readonly isWebPublic: boolean;
  /** Answers for hosts that name no realm, if it exists; else the only realm does. */
  readonly defaultRealm: string;
  /** What follows `<realm>.` in addresses that the server makes up. */
  readonly domain: string;
  /** Where the server is reached, as far as it says so in mails and replies; null: by the domain, and own hosts that are asked. */
  readonly publicUrl: string | null;
  /** Where pushes go; empty: there are none. */
  readonly pushBouncerUrl: string;
  /** Webhooks of bots may be at addresses of this machine and the networks around it. */
  readonly allowsPrivateWebhooks: boolean;
  /** Whether the server fetches what messages link, to show it. */
  readonly showsPreviews: boolean;
  /** It may be at addresses of this machine and the networks around it. */
  readonly allowsPrivatePreviews: boolean;
  /** Origins of pages of other hosts that may ask, and read what they are answered. */
  readonly allowedOrigins: readonly string[];
  /** Addresses, and ranges of them: what proxies there say of a request is believed. */
  readonly trustedProxies: readonly string[];
  /** Where pictures are found by the hash of a mail address; null: nowhere, the server has pictures of its own. */
  readonly gravatarUrl: string | null;
  /** How long invitations last that do not say it. */
  readonly invitationMinutes: number;
  /** Of an uploaded file. */
  readonly maxUploadMib: number;
  /** MiB that have to stay free on the disk; null: 5 % and 256 MiB; 0: the disk is not watched. */
  readonly minFreeMib: number | null;
  readonly rateLimits: RateLimits;
  /** The process of npm that started this one by a script of `package.json`, which says so: it is no setting of an operator. */
  readonly npmPid: number | null;
}

export class ConfigError extends Error {}

/** It leads each machine to itself. */
const OWN_DOMAIN = 'localhost';

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

const MINUTES_WANTED = `is not a number from 1 to ${INVITATION_MINUTES_MAX}`;

const MIB_WANTED = `is not a number from 1 to ${FILE_MIB_MAX}`;

const REQUESTS_WANTED = `is not a number from 0 to ${REQUESTS_PER_MINUTE_MAX}`;

const FREE_MIB_WANTED = `is not a number from 0 to ${FREE_MIB_MAX}`;

const perMinute = (usual: number) =>
  z
    .string()
    .regex(/^\d{1,7}$/, REQUESTS_WANTED)
    .transform(Number)
    .refine((requests) => requests <= REQUESTS_PER_MINUTE_MAX, REQUESTS_WANTED)
    .default(usual);

const environment = z.object({
  CONFAB_HOST: z.string().min(1).default('127.0.0.1'),
  CONFAB_PORT: z
    .string()
    .regex(/^\d{1,5}$/, 'is not a port')
    .transform(Number)
    .refine((port) => port <= 65_535, 'is not a port')
    .default(8080),
  CONFAB_DATA: z.string().min(1).default('./data'),
  CONFAB_LOG_LEVEL: z
    .enum(LOG_LEVELS, { error: `is none of ${LOG_LEVELS.join(', ')}` })
    .default('info'),
  CONFAB_TLS_KEY: z.string().default(''),
  CONFAB_TLS_CERT: z.string().default(''),
  CONFAB_ALIAS_PREFIX: z
    .string()
    .regex(/^([a-z][a-z0-9]*)?$/, 'is not a lower-case word')
    .default(''),
  CONFAB_SMTP_URL: z
    .string()
    .refine((url) => /^smtps?:\/\//.test(url) && URL.canParse(url), 'is no smtp:// or smtps:// URL')
    .optional(),
  CONFAB_LIMIT_PRESENCE: z.enum(['0', '1'], { error: 'is neither 0 nor 1' }).default('0'),
  CONFAB_DEMO: z.enum(['0', '1'], { error: 'is neither 0 nor 1' }).optional(),
  CONFAB_WEB_PUBLIC: z.enum(['0', '1'], { error: 'is neither 0 nor 1' }).default('1'),
  CONFAB_DEFAULT_REALM: z
    .string()
    .regex(/^[a-z0-9-]*$/, 'is not the name of a realm')
    .default('demo'),
  CONFAB_DOMAIN: z
    .string()
    .regex(/^[a-z0-9.-]+$/, 'is not a domain name')
    .default(OWN_DOMAIN),
  CONFAB_PUBLIC_URL: z
    .string()
    .transform((url) => url.replace(/\/$/, ''))
    .refine(
      (url) => /^https?:/.test(url) && isOrigin(url),
      'is not an address like https://chat.example.com',
    )
    .optional(),
  CONFAB_PUSH_BOUNCER_URL: z
    .string()
    .transform((url) => url.replace(/\/$/, ''))
    .refine((url) => /^https?:\/\//.test(url) && URL.canParse(url), 'is not a URL of http or https')
    .optional(),
  CONFAB_WEBHOOK_PRIVATE_ADDRESSES: z
    .enum(['0', '1'], { error: 'is neither 0 nor 1' })
    .default('0'),
  CONFAB_PREVIEWS: z.enum(['0', '1'], { error: 'is neither 0 nor 1' }).default('1'),
  CONFAB_PREVIEW_PRIVATE_ADDRESSES: z
    .enum(['0', '1'], { error: 'is neither 0 nor 1' })
    .default('0'),
  CONFAB_ALLOWED_ORIGINS: z
    .string()
    .transform((list) => list.split(',').map((origin) => origin.trim().replace(/\/$/, '')))
    .refine(
      (origins) => origins.every(isOrigin),
      'is not a list of origins like https://example.com',
    )
    .optional(),
  CONFAB_TRUSTED_PROXIES: z
    .string()
    .transform((list) => list.split(',').map((range) => range.trim()))
    .refine(
      (ranges) => ranges.every(isRange),
      'is not a list of addresses and ranges like 127.0.0.1, 10.0.0.0/8',
    )
    .optional(),
  CONFAB_GRAVATAR: z
    .string()
    .refine(
      (value) => value === '0' || value === '1' || isService(value),
      'is neither 0 nor 1 nor a URL of https or http',
    )
    .default('1')
    .transform(serviceAt),
  CONFAB_INVITATION_MINUTES: z
    .string()
    .regex(/^\d{1,7}$/, MINUTES_WANTED)
    .transform(Number)
    .refine((minutes) => minutes >= 1 && minutes <= INVITATION_MINUTES_MAX, MINUTES_WANTED)
    .default(INVITATION_MINUTES),
  CONFAB_MAX_UPLOAD_MIB: z
    .string()
    .regex(/^\d{1,6}$/, MIB_WANTED)
    .transform(Number)
    .refine((mib) => mib >= 1 && mib <= FILE_MIB_MAX, MIB_WANTED)
    .default(FILE_MIB),
  CONFAB_MIN_FREE_MIB: z
    .string()
    .regex(/^\d{1,8}$/, FREE_MIB_WANTED)
    .transform(Number)
    .refine((mib) => mib <= FREE_MIB_MAX, FREE_MIB_WANTED)
    .optional(),
  CONFAB_REQUESTS_PER_MINUTE: perMinute(REQUESTS_PER_MINUTE),
  CONFAB_SENDS_PER_MINUTE: perMinute(SENDS_PER_MINUTE),
  CONFAB_SEARCHES_PER_MINUTE: perMinute(SEARCHES_PER_MINUTE),
  CONFAB_UPLOADS_PER_MINUTE: perMinute(UPLOADS_PER_MINUTE),
  CONFAB_MAILS_PER_MINUTE: perMinute(MAILS_PER_MINUTE),
  CONFAB_LOGINS_PER_MINUTE: perMinute(LOGINS_PER_MINUTE),
  CONFAB_ANONYMOUS_REQUESTS_PER_MINUTE: perMinute(ANONYMOUS_REQUESTS_PER_MINUTE),
  NPM_PID: z.coerce.number().int().positive().optional(),
});

/** Refuses with one line that names the setting. An empty value counts as absent. */
export function readConfig(env: NodeJS.ProcessEnv = ownEnvironment()): Config {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const parsed = environment.safeParse(given);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw new ConfigError(`${issue?.path.join('.')} ${issue?.message}`);
  }
  const { data } = parsed;
  if ((data.CONFAB_TLS_KEY === '') !== (data.CONFAB_TLS_CERT === '')) {
    throw new ConfigError('CONFAB_TLS_KEY and CONFAB_TLS_CERT go together');
  }
  return {
    host: data.CONFAB_HOST,
    port: data.CONFAB_PORT,
    data: data.CONFAB_DATA,
    logLevel: data.CONFAB_LOG_LEVEL,
    tls:
      data.CONFAB_TLS_KEY === '' ? null : { key: data.CONFAB_TLS_KEY, cert: data.CONFAB_TLS_CERT },
    aliasPrefix: data.CONFAB_ALIAS_PREFIX,
    smtpUrl: data.CONFAB_SMTP_URL ?? null,
    limitsPresence: data.CONFAB_LIMIT_PRESENCE === '1',
    makesDemo: data.CONFAB_DEMO !== '0',
    wantsDemo: data.CONFAB_DEMO === '1',
    isWebPublic: data.CONFAB_WEB_PUBLIC === '1',
    defaultRealm: data.CONFAB_DEFAULT_REALM,
    domain: data.CONFAB_DOMAIN,
    publicUrl: data.CONFAB_PUBLIC_URL ?? null,
    pushBouncerUrl: data.CONFAB_PUSH_BOUNCER_URL ?? '',
    allowsPrivateWebhooks: data.CONFAB_WEBHOOK_PRIVATE_ADDRESSES === '1',
    showsPreviews: data.CONFAB_PREVIEWS === '1',
    allowsPrivatePreviews: data.CONFAB_PREVIEW_PRIVATE_ADDRESSES === '1',
    allowedOrigins: data.CONFAB_ALLOWED_ORIGINS ?? [],
    trustedProxies: data.CONFAB_TRUSTED_PROXIES ?? [],
    gravatarUrl: data.CONFAB_GRAVATAR,
    invitationMinutes: data.CONFAB_INVITATION_MINUTES,
    maxUploadMib: data.CONFAB_MAX_UPLOAD_MIB,
    minFreeMib: data.CONFAB_MIN_FREE_MIB ?? null,
    rateLimits: {
      request: data.CONFAB_REQUESTS_PER_MINUTE,
      send: data.CONFAB_SENDS_PER_MINUTE,
      search: data.CONFAB_SEARCHES_PER_MINUTE,
      upload: data.CONFAB_UPLOADS_PER_MINUTE,
      mail: data.CONFAB_MAILS_PER_MINUTE,
      logIn: data.CONFAB_LOGINS_PER_MINUTE,
      anonymous: data.CONFAB_ANONYMOUS_REQUESTS_PER_MINUTE,
    },
    npmPid: data.NPM_PID ?? null,
  };
}

/** What the addresses of realms are made from. */
export const addressSettings = (config: Config) => ({
  domain: config.domain,
  publicUrl: config.publicUrl,
  isTls: config.tls !== null,
  port: portInLinks(config),
});

/**
 * The port that a link to the server needs. What only this machine reaches, under a name that is not its own, is behind another
 * server, whose port nobody told.
 */
export const portInLinks = (config: Pick<Config, 'host' | 'port' | 'domain'>): number | null =>
  config.port === 0 || (isLoopback(config) && !/(^|\.)localhost$/.test(config.domain))
    ? null
    : config.port;

/** Whether nobody on another machine can reach it. */
export const isLoopback = ({ host }: Pick<Config, 'host'>): boolean =>
  host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);

/** Whether others reach it, and nothing says by what name: the links that they get lead them nowhere. */
export const isUnnamed = (config: Pick<Config, 'host' | 'domain' | 'publicUrl'>): boolean =>
  !isLoopback(config) && config.publicUrl === null && config.domain === OWN_DOMAIN;

/** A hash follows it, so it can have no query. */
const isService = (text: string) => /^https?:\/\/[^?#\s]+$/.test(text) && URL.canParse(text);

function serviceAt(value: string): string | null {
  if (value === '0') return null;
  return value === '1' ? GRAVATAR_URL : `${value.replace(/\/$/, '')}/`;
}

/** An address, or how many of its first bits count: `10.0.0.0/8`. */
function isRange(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/');
  const bitsMax = { 4: 32, 6: 128 }[isIP(address)] ?? -1;
  if (more.length > 0 || bitsMax < 0 || address.includes('%')) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= bitsMax);
}

/** What browsers send: scheme, host and port alone. */
function isOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text;
}

// biome-ignore lint/style/noProcessEnv: this is the one reader.
const ownEnvironment = () => process.env;
