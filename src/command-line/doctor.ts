import { X509Certificate } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { open, statfs } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { diskFault } from '../../storage/files/disk-fault.ts';
import { checkTlsPair } from '../admin/tls/tls-pair.ts';
import { realmsIn } from '../checks/check-realms.ts';
import type { ServerSettings } from '../config.ts';
import { FREE_BYTES_MIN, FREE_SHARE_MIN } from '../domain/limits/disk.ts';
import { isUnnamed } from '../settings/addresses.ts';
import type { Loaded } from '../transport/library/load.ts';
import { NotNative } from '../transport/library/refusals.ts';
import { loadedLibrary } from '../transport/library/sockets.ts';
import { smtpOptions } from '../workers/smtp-options.ts';
import { sizeOf } from './tables.ts';

/** One thing that was examined. */
export interface Examined {
  readonly check: string;
  readonly result: 'ok' | 'warn' | 'fail';
  readonly says: string;
  /** Advice for the operator; it is missing if all is well. */
  readonly advice?: string;
}

type Result = Omit<Examined, 'check'>;

export interface Patient {
  readonly settings: ServerSettings;
  /** The data directory as an absolute path. */
  readonly data: string;
  /** The server that runs on it, if any. */
  readonly pid: number | null;
  /** Returns UNIX milliseconds. */
  readonly now: () => number;
}

/** Examines the machine and the settings for what would stop or slow a server. */
export async function examine(patient: Patient): Promise<Examined[]> {
  const examined: Examined[] = [];
  for (const [check, look] of Object.entries(CHECKS)) {
    const results = await look(patient);
    examined.push(...results.map((result) => ({ check, ...result })));
  }
  return examined;
}

const ok = (says: string): Result => ({ result: 'ok', says });
const warn = (says: string, advice: string): Result => ({ result: 'warn', says, advice });
const fail = (says: string, advice: string): Result => ({ result: 'fail', says, advice });

const CHECKS: Readonly<Record<string, (patient: Patient) => Promise<Result[]> | Result[]>> = {
  server: ({ pid }) => [
    pid === null ? ok('not running; this process was examined instead') : ok(`runs (pid ${pid})`),
  ],
  machine: () => [
    ok(`Node ${process.versions.node}, ${process.platform}, ${availableParallelism()} cores`),
  ],
  sockets: () => [sockets()],
  descriptors: ({ pid }) => [descriptors(pid)],
  clock: ({ data, now }) => [clock(data, now())],
  disk: async ({ data, settings }) => [await space(data, settings), await syncs(data)],
  address: ({ settings }) => [address(settings)],
  tls,
  mail: async ({ settings }) => [await mail(settings), mailsIn(settings)],
  dns: ({ settings, data }) => names(settings, data),
};

/** The library is that of this process, which a server on the same machine loads as well. */
function sockets(): Result {
  try {
    const { name, way } = loadedLibrary();
    return ok(`${name}, ${PUBLISHED[way]}`);
  } catch (error) {
    if (!(error instanceof NotNative)) throw error;
    return fail(error.message, 'see "Node and the socket library" in docs/operating.md');
  }
}

const PUBLISHED: Readonly<Record<Loaded['way'], string>> = {
  official: 'the official release',
  newer: 'published by a third party, and the file that was tested',
  relinked: 'published by a third party, and the file that was tested, linked for an older glibc',
  older: 'published by a third party, and the file that was tested, for Node 20',
};

const DESCRIPTORS_WANTED = 8_192;
const DESCRIPTORS_MIN = 1_024;

function descriptors(pid: number | null): Result {
  const limits = readOr(`/proc/${pid ?? 'self'}/limits`, '');
  const [, soft = ''] = /^Max open files +(\S+)/m.exec(limits) ?? [];
  if (soft === '') return ok('the limit of open files is not known on this system');
  const limit = soft === 'unlimited' ? Number.POSITIVE_INFINITY : Number(soft);
  const says = `${soft} files may be open`;
  const advice = 'raise the limit to 65536: LimitNOFILE= of systemd, or `ulimit -n 65536` before';
  if (limit >= DESCRIPTORS_WANTED) return ok(says);
  return limit >= DESCRIPTORS_MIN ? warn(says, advice) : fail(says, advice);
}

const CLOCK_TOLERANCE_MS = 60_000;

/** The files of the data are the only other clock here. */
function clock(data: string, now: number): Result {
  const shown = new Date(now).toISOString();
  const newest = Math.max(
    0,
    ...realmsIn(data).map(({ folder }) => modifiedAt(join(folder, 'data.mdb'))),
  );
  if (newest > now + CLOCK_TOLERANCE_MS) {
    return fail(
      `it says ${shown}, but data was written at ${new Date(newest).toISOString()}`,
      'set the clock, and keep it right by NTP (timedatectl set-ntp true)',
    );
  }
  return ok(`${shown}, and no data is from later`);
}

async function space(data: string, settings: ServerSettings): Promise<Result> {
  const { bavail, blocks, bfree, bsize } = await statfs(existing(data));
  const free = bavail * bsize;
  const usable = (blocks - bfree + bavail) * bsize;
  const bound =
    settings.minFreeMib === null
      ? Math.max(FREE_BYTES_MIN, usable * FREE_SHARE_MIN)
      : settings.minFreeMib * 1024 * 1024;
  const says = `${sizeOf(free)} of ${sizeOf(usable)} are free`;
  const advice = `make room: below ${sizeOf(bound)} the server only reads and deletes`;
  if (free < bound) return fail(says, advice);
  return free < 2 * bound ? warn(says, advice) : ok(says);
}

const SYNCS = 20;
const SYNC_MS_GOOD = 10;
const SYNC_MS_MAX = 100;
/** A commit writes a few pages. */
const SYNC_BYTES = 16_384;

/** Measures what every commit waits for. */
async function syncs(data: string): Promise<Result> {
  let folder: string | undefined;
  try {
    folder = mkdtempSync(join(existing(data), '.doctor-'));
    const file = await open(join(folder, 'sync'), 'w');
    const took: number[] = [];
    for (let round = 0; round < SYNCS; round++) {
      const since = performance.now();
      await file.write(Buffer.alloc(SYNC_BYTES, round), 0, SYNC_BYTES, round * SYNC_BYTES);
      await file.datasync();
      took.push(performance.now() - since);
    }
    await file.close();
    return judgeSyncs(took.sort((one, other) => one - other));
  } catch (error) {
    return fail(`cannot be written: ${diskFault(error)}`, `make ${data} writable for this user`);
  } finally {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  }
}

function judgeSyncs(took: readonly number[]): Result {
  const median = took[Math.floor(took.length / 2)] ?? 0;
  const says = `a sync takes ${median.toFixed(2)} ms, at most ${(took.at(-1) ?? 0).toFixed(1)} ms`;
  const advice = 'every send waits for one sync: put the data on an SSD, not on a network disk';
  if (median <= SYNC_MS_GOOD) return ok(says);
  return median <= SYNC_MS_MAX ? warn(says, advice) : fail(says, advice);
}

function address(settings: ServerSettings): Result {
  const { host, port, publicUrl, domain } = settings;
  const says = `listens on ${host}:${port}, links lead to ${publicUrl ?? `*.${domain}`}`;
  if (!isUnnamed(settings)) return ok(says);
  return warn(says, 'set CONFAB_DOMAIN or CONFAB_PUBLIC_URL, or links lead each reader to itself');
}

const DAY_MS = 86_400_000;
const TLS_DAYS_GOOD = 14;

function tls({ settings, data, now }: Patient): Result[] {
  if (settings.tls === null) return [ok('not configured: HTTP, or TLS ends at a proxy')];
  const advice = 'renew the certificate, and restart the server';
  try {
    checkTlsPair(settings.tls);
    const certificate = new X509Certificate(readFileSync(settings.tls.cert));
    const days = Math.floor((Date.parse(certificate.validTo) - now()) / DAY_MS);
    const says = `the certificate is valid until ${certificate.validTo} (${days} days)`;
    const expiry =
      days < 0 ? fail(says, advice) : days < TLS_DAYS_GOOD ? warn(says, advice) : ok(says);
    const uncovered = hostsOf(settings, data).filter(
      (host) => certificate.checkHost(host) === undefined,
    );
    if (uncovered.length === 0) return [expiry];
    return [expiry, fail(`it does not cover ${uncovered.join(', ')}`, 'get one for these names')];
  } catch (error) {
    return [fail((error as Error).message, 'mend CONFAB_TLS_KEY and CONFAB_TLS_CERT')];
  }
}

const MAIL_MS_MAX = 5_000;

async function mail({ data, smtpUrl }: ServerSettings): Promise<Result> {
  if (smtpUrl === null) {
    const folder = join(data, 'mail');
    return warn(`mails are written into ${folder} and sent to nobody`, 'set CONFAB_SMTP_URL');
  }
  const { createTransport } = await import('nodemailer');
  const transport = createTransport(smtpOptions(smtpUrl, MAIL_MS_MAX));
  const { hostname } = new URL(smtpUrl);
  try {
    await transport.verify();
    return ok(`${hostname} takes mails`);
  } catch (error) {
    return fail(
      `${hostname} takes no mails: ${(error as Error).message.split('\n', 1)[0]}`,
      'mend CONFAB_SMTP_URL or the mail server; unsent mails are tried again for seven hours',
    );
  } finally {
    transport.close();
  }
}

/** Channels have addresses in any case, so that a mail may be sent to one that takes none. */
function mailsIn({ mailIn, mailInRelays }: ServerSettings): Result {
  if (mailIn === null) {
    return ok(
      'none are received, not even at the addresses of channels: CONFAB_MAIL_IN is not set',
    );
  }
  const host = mailIn.host.includes(':') ? `[${mailIn.host}]` : mailIn.host;
  return ok(`received at ${host}:${mailIn.port}, from relays in ${mailInRelays.join(', ')}`);
}

async function names(settings: ServerSettings, data: string): Promise<Result[]> {
  const hosts = hostsOf(settings, data);
  if (hosts.length === 0) return [ok('no names of its own: CONFAB_DOMAIN is not set')];
  return await Promise.all(
    hosts.map(async (host) => {
      try {
        const { address: found } = await lookup(host);
        return ok(`${host} is ${found}`);
      } catch {
        return fail(`${host} is not found`, `make a DNS record for *.${settings.domain}`);
      }
    }),
  );
}

/** The host names that people use, if the operator has named a domain. */
const hostsOf = ({ domain }: ServerSettings, data: string) =>
  domain === 'localhost'
    ? []
    : realmsIn(data).flatMap(({ names: [name] }) =>
        name === undefined ? [] : [`${name}.${domain}`],
      );

/** Returns the nearest folder that is there. */
const existing = (path: string): string => (existsSync(path) ? path : existing(dirname(path)));

function modifiedAt(file: string): number {
  try {
    return statSync(file).mtimeMs;
  } catch {
    return 0;
  }
}

function readOr(file: string, otherwise: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return otherwise;
  }
}
