import { isIP } from 'node:net';
import { z } from 'zod';
import { INVITATION_MINUTES, INVITATION_MINUTES_MAX } from './domain/limits/accounts.ts';
import { BACKUPS_KEPT, BACKUPS_KEPT_MAX, FREE_MIB_MAX } from './domain/limits/disk.ts';
import { FILE_MIB, FILE_MIB_MAX } from './domain/limits/files.ts';
import { DAYS_MAX } from './domain/limits/organizations.ts';
import {
  ANONYMOUS_REQUESTS_PER_MINUTE,
  DRAIN_MS_MAX,
  GATEWAYS_MAX,
  LOGINS_PER_MINUTE,
  MAILS_PER_MINUTE,
  REQUESTS_PER_MINUTE,
  SEARCHES_PER_MINUTE,
  SENDS_PER_MINUTE,
  UPLOADS_PER_MINUTE,
} from './domain/limits/turns.ts';
import { GRAVATAR_URL } from './domain/rules/people/gravatar.ts';
import { s3LocationIn } from './domain/s3-address.ts';
import { isTimeOfDay, timeOfDay } from './domain/times-of-day.ts';
import { OWN_DOMAIN } from './settings/addresses.ts';
import { acmeAuthority, portOfRedirects, tlsFiles, tlsPair } from './settings/certificates.ts';
import { clusterSettings } from './settings/cluster.ts';
import { mailInAddress } from './settings/incoming-mail.ts';
import { s3Settings } from './settings/object-storage.ts';
import { operatorAddress } from './settings/operator-listener.ts';
import { apnsSettings, fcmSettings } from './settings/push.ts';
import {
  type Environment,
  flag,
  list,
  orNull,
  perMinute,
  type Read,
  refuseUnknown,
  together,
  variable,
  whole,
} from './settings/reading.ts';
import { signInSettings } from './settings/sign-in/sign-in.ts';

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/** The addresses of this machine. */
const LOOPBACK: readonly string[] = Object.freeze(['127.0.0.0/8', '::1']);

const readData = variable('CONFAB_DATA', z.string().min(1).default('./data'));
/** Returns a setting that is true for some of what `CONFAB_DEMO` may say. */
function readDemo(usual: '0' | '1', meant: readonly string[]): Read<boolean> {
  const said = z.enum(['0', '1', 'empty', 'open'], { error: 'is none of 0, 1, empty and open' });
  const one = said.default(usual);
  const read = variable('CONFAB_DEMO', one);
  return (env) => meant.includes(read(env));
}

const readAcme = acmeAuthority(readData);
const readTls = tlsPair(tlsFiles('CONFAB_TLS_KEY', 'CONFAB_TLS_CERT'), readAcme);

/**
 * All settings of the server. A setting is added here and nowhere else: its name in the code, the
 * variable that it is read from, and what that variable may say. Each variable has a row in
 * docs/settings.md.
 */
const readAll = together({
  /** The address that the server listens on. */
  host: variable('CONFAB_HOST', z.string().min(1).default('127.0.0.1')),
  /** The port that the server listens on; 0 picks a free one. */
  port: variable('CONFAB_PORT', whole({ min: 0, max: 65_535 }, 'is not a port').default(8080)),
  /** The address at which the operator's programs ask for metrics; null: there is none. */
  operator: operatorAddress(),
  /** True if a few metrics are also given by realm. */
  metricsRealms: flag('CONFAB_METRICS_REALMS', '0'),
  /** How long balancers may send requests on, once the server has said that it stops. */
  drainMs: variable('CONFAB_DRAIN_MS', whole({ min: 0, max: DRAIN_MS_MAX }).default(0)),
  /** The data directory. */
  data: readData,
  logLevel: variable(
    'CONFAB_LOG_LEVEL',
    z.enum(LOG_LEVELS, { error: `is none of ${LOG_LEVELS.join(', ')}` }).default('info'),
  ),
  /** True if each request leaves a line in the log. */
  logsRequests: flag('CONFAB_ACCESS_LOG', '0'),
  /** The files of the key pair; null: the server speaks HTTP without TLS. */
  tls: readTls,
  /** The authority that certificates are got from; null: the operator brings them. */
  acme: readAcme,
  /** The port that sends clients of plain HTTP to HTTPS; null: there is none. */
  redirectPort: portOfRedirects(readTls),
  /**
   * Clients look for `<prefix>_version` beside `service_version`; empty: there are no such names.
   */
  aliasPrefix: variable(
    'CONFAB_ALIAS_PREFIX',
    z
      .string()
      .regex(/^([a-z][a-z0-9]*)?$/, 'is not a lower-case word')
      .default(''),
  ),
  /** The mail server; null: mails are written into a folder of the data directory. */
  smtpUrl: variable(
    'CONFAB_SMTP_URL',
    orNull(
      z
        .string()
        .refine(
          (url) => /^smtps?:\/\//.test(url) && URL.canParse(url),
          'is no smtp:// or smtps:// URL',
        ),
    ),
  ),
  /** The address at which relays hand mails over; null: no mails are received. */
  mailIn: mailInAddress(),
  /** Addresses and ranges of these relays. */
  mailInRelays: variable(
    'CONFAB_MAIL_IN_RELAYS',
    list(
      (range) => range,
      isRange,
      'is not a list of addresses and ranges like 127.0.0.1, 10.0.0.0/8',
    ).transform((ranges) => (ranges.length === 0 ? LOOPBACK : ranges)),
  ),
  /** True if presence goes only to users who may know of the user; guests may not know of all. */
  limitsPresence: flag('CONFAB_LIMIT_PRESENCE', '0'),
  /** True if a first start makes a demo realm. */
  makesDemo: readDemo('1', ['1', 'empty', 'open']),
  /** True if the people of the demo realm have said something before the first log-in. */
  hasDemoTalk: readDemo('1', ['1', 'open']),
  /** True if the operator has asked for a demo realm. */
  wantsDemo: readDemo('0', ['1', 'open']),
  /** True if everybody who reaches the server may be anybody in the demo realm. */
  opensDemo: readDemo('0', ['open']),
  /** True if realms may show web-public channels without a log-in. */
  isWebPublic: flag('CONFAB_WEB_PUBLIC', '1'),
  /** True if browsers that open the address of the server get the web client. */
  servesWeb: flag('CONFAB_WEB', '1'),
  /** A folder with a build of it that is read at each request, for its developers; null: none. */
  webFolder: variable('CONFAB_WEB_DEV', orNull(z.string().min(1))),
  /** The processes that serve clients for the one that writes; 0: it serves them itself. */
  gateways: variable('CONFAB_GATEWAYS', whole({ min: 0, max: GATEWAYS_MAX }).default(0)),
  /** This realm answers for hosts that name none, if it exists; else the only realm does. */
  defaultRealm: variable(
    'CONFAB_DEFAULT_REALM',
    z
      .string()
      .regex(/^[a-z0-9-]*$/, 'is not the name of a realm')
      .default('demo'),
  ),
  /** The domain that follows `<realm>.` in addresses that the server makes up. */
  domain: variable(
    'CONFAB_DOMAIN',
    z
      .string()
      .regex(/^[a-z0-9.-]+$/, 'is not a domain name')
      .default(OWN_DOMAIN),
  ),
  /**
   * The URL that mails and replies link to; null: they link by the domain and by own hosts of
   * requests.
   */
  publicUrl: variable(
    'CONFAB_PUBLIC_URL',
    orNull(
      z
        .string()
        .transform((url) => url.replace(/\/$/, ''))
        .refine(
          (url) => /^https?:/.test(url) && isOrigin(url),
          'is not an address like https://chat.example.com',
        ),
    ),
  ),
  /** The service that pushes are sent to; empty: there are none. */
  pushBouncerUrl: variable(
    'CONFAB_PUSH_BOUNCER_URL',
    z
      .string()
      .transform((url) => url.replace(/\/$/, ''))
      .refine(
        (url) => /^https?:\/\//.test(url) && URL.canParse(url),
        'is not a URL of http or https',
      )
      .default(''),
  ),
  /** True if browsers may subscribe to notices, which their own push services deliver. */
  hasWebPush: flag('CONFAB_WEB_PUSH', '1'),
  /** True if push services of browsers may be on this machine and the networks around it. */
  allowsPrivateWebPush: flag('CONFAB_WEB_PUSH_PRIVATE_ADDRESSES', '0'),
  /** The keys for Apple's push service; null: iOS devices are reached by the bouncer alone. */
  apns: apnsSettings(),
  /** The account at Google's push service; null: only the bouncer reaches Android devices. */
  fcm: fcmSettings(),
  /** True if webhooks of bots may be on this machine and the networks around it. */
  allowsPrivateWebhooks: flag('CONFAB_WEBHOOK_PRIVATE_ADDRESSES', '0'),
  /** True if the server fetches linked pages and media to show previews. */
  showsPreviews: flag('CONFAB_PREVIEWS', '1'),
  /** True if previews may be of sites on this machine and the networks around it. */
  allowsPrivatePreviews: flag('CONFAB_PREVIEW_PRIVATE_ADDRESSES', '0'),
  /** Origins of pages of other hosts that may send requests and read the answers. */
  allowedOrigins: variable(
    'CONFAB_ALLOWED_ORIGINS',
    list(
      (origin) => origin.replace(/\/$/, ''),
      isOrigin,
      'is not a list of origins like https://example.com',
    ),
  ),
  /** Addresses and ranges of proxies; the server believes what they say of a request. */
  trustedProxies: variable(
    'CONFAB_TRUSTED_PROXIES',
    list(
      (range) => range,
      isRange,
      'is not a list of addresses and ranges like 127.0.0.1, 10.0.0.0/8',
    ),
  ),
  /**
   * The hash of a mail address is added to it to get an image; null: all images are of this
   * server.
   */
  gravatarUrl: variable(
    'CONFAB_GRAVATAR',
    z
      .string()
      .refine(
        (value) => value === '0' || value === '1' || isService(value),
        'is neither 0 nor 1 nor a URL of https or http',
      )
      .default('1')
      .transform(serviceAt),
  ),
  /** How long invitations last by default. */
  invitationMinutes: variable(
    'CONFAB_INVITATION_MINUTES',
    whole({ min: 1, max: INVITATION_MINUTES_MAX }).default(INVITATION_MINUTES),
  ),
  /** How large an uploaded file may be. */
  maxUploadMib: variable(
    'CONFAB_MAX_UPLOAD_MIB',
    whole({ min: 1, max: FILE_MIB_MAX }).default(FILE_MIB),
  ),
  /** How much has to stay free on the disk; null: 5 % and 256 MiB; 0: the disk is not watched. */
  minFreeMib: variable('CONFAB_MIN_FREE_MIB', orNull(whole({ min: 0, max: FREE_MIB_MAX }))),
  /** How many days the audit logs of realms go back; 0: for ever. */
  auditDays: variable('CONFAB_AUDIT_DAYS', whole({ min: 0, max: DAYS_MAX }).default(0)),
  /** The folder, or `s3://bucket/prefix`, to which the server backs itself up; null: to none. */
  backupTo: variable('CONFAB_BACKUP_TO', orNull(z.string().min(1))),
  /** The times at which it does, in UTC. */
  backupAt: variable(
    'CONFAB_BACKUP_AT',
    z
      .string()
      .default('03:30')
      .transform((text) => text.split(',').map((part) => part.trim()))
      .refine((parts) => parts.every(isTimeOfDay), 'is not a list of times like 03:30 or *:15')
      .transform((parts) => Object.freeze(parts.map(timeOfDay))),
  ),
  /** The number of backups that stay there. */
  backupKeep: variable(
    'CONFAB_BACKUP_KEEP',
    whole({ min: 1, max: BACKUPS_KEPT_MAX }).default(BACKUPS_KEPT),
  ),
  /** The `s3://bucket/prefix` that files are kept in; null: they are in the data directory. */
  files: variable(
    'CONFAB_FILES',
    z
      .string()
      .default('local')
      .refine(
        (value) => value === 'local' || s3LocationIn(value) !== undefined,
        'is neither local nor an address like s3://bucket/folder',
      )
      .transform((value) => (value === 'local' ? null : value)),
  ),
  /** Providers and directories that vouch for people; none: there are passwords alone. */
  signIn: signInSettings(),
  /** The cluster that this process is a node of; null: it is the only one. */
  cluster: clusterSettings(),
  /** The service and the key for places like `s3://bucket/prefix`. */
  s3: s3Settings(),
  /** Requests in a minute, by what they cost; 0: any number. */
  rateLimits: together({
    /**
     * Requests of an account that have no limit of their own; polls and sockets are counted apart.
     */
    request: perMinute('CONFAB_REQUESTS_PER_MINUTE', REQUESTS_PER_MINUTE),
    /** Messages of an account. */
    send: perMinute('CONFAB_SENDS_PER_MINUTE', SENDS_PER_MINUTE),
    search: perMinute('CONFAB_SEARCHES_PER_MINUTE', SEARCHES_PER_MINUTE),
    upload: perMinute('CONFAB_UPLOADS_PER_MINUTE', UPLOADS_PER_MINUTE),
    mail: perMinute('CONFAB_MAILS_PER_MINUTE', MAILS_PER_MINUTE),
    /** Log-ins from an address. */
    logIn: perMinute('CONFAB_LOGINS_PER_MINUTE', LOGINS_PER_MINUTE),
    /** All other requests from an address without right credentials. */
    anonymous: perMinute('CONFAB_ANONYMOUS_REQUESTS_PER_MINUTE', ANONYMOUS_REQUESTS_PER_MINUTE),
  }),
});

/**
 * The settings of a server as its operator has set them: one frozen object, which is handed on by
 * reference and read where it is used (decision 0150).
 */
export interface ServerSettings extends ReturnType<typeof readAll> {}

export type { PeopleEntry, SignInEntry } from './settings/sign-in/sign-in.ts';

/** Refuses with one line that names the setting. */
export function readSettings(env: Environment = ownEnvironment()): ServerSettings {
  refuseUnknown(env);
  return readAll(env);
}

/** How npm started this process, if it did. */
export interface ByNpm {
  /** The process of npm, which a script of `package.json` names; null: an ancestor of this one. */
  readonly pid: number | null;
}

/** Tells whether a script of `package.json` or `npx` started this process; null: neither. */
export function startedByNpm(env: Environment = ownEnvironment()): ByNpm | null {
  const pid = variable('NPM_PID', orNull(z.coerce.number().int().positive()))(env);
  return pid === null && env['npm_lifecycle_event'] !== 'npx' ? null : { pid };
}

/** A hash follows this URL, so it cannot have a query. */
const isService = (text: string) => /^https?:\/\/[^?#\s]+$/.test(text) && URL.canParse(text);

function serviceAt(value: string): string | null {
  if (value === '0') return null;
  return value === '1' ? GRAVATAR_URL : `${value.replace(/\/$/, '')}/`;
}

/** Tests for an address, or a range with the number of its fixed bits: `10.0.0.0/8`. */
function isRange(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/');
  const bitsMax = { 4: 32, 6: 128 }[isIP(address)] ?? -1;
  if (more.length > 0 || bitsMax < 0 || address.includes('%')) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= bitsMax);
}

/** Tests for the form that browsers send: only scheme, host and port. */
function isOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text;
}

// biome-ignore lint/style/noProcessEnv: this is the one reader.
const ownEnvironment = () => process.env;
