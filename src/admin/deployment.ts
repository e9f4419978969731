import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Clock } from '../../actors/clock.ts';
import type { Realm } from '../../actors/realm/realm-handle.ts';
import type { SchedulerInput } from '../../actors/realm/scheduler.ts';
import { type RealmActor, type SupervisedRealm, superviseRealm } from '../../actors/supervisor.ts';
import { diskCode } from '../../storage/files/disk-fault.ts';
import { type FileName, openFileStore } from '../../storage/files/file-store.ts';
import { keepRealmList, type RealmList, readRealmList } from '../../storage/files/realm-list.ts';
import type { Space } from '../../storage/files/space.ts';
import { addressSettings, type ServerSettings } from '../config.ts';
import { ascending } from '../domain/ascending.ts';
import { HOST_LENGTH_MAX, HOSTS_CACHED_MAX, SPACE_LOOK_MS } from '../domain/limits.ts';
import { recentlyUsed } from '../domain/recently-used.ts';
import { type ForwardedHost, nameOfHost, type RequestHost } from '../domain/request-host.ts';
import { withAliases } from '../domain/rules/texts/aliases.ts';
import { SERVICE_FEATURE_LEVEL, SERVICE_MERGE_BASE, SERVICE_VERSION } from '../domain/version.ts';
import * as errors from '../domain/wire/errors.ts';
import type { EventBody } from '../domain/wire/events/log-entry.ts';
import type { Deployment } from '../endpoints/dispatch/deployment.ts';
import type { RealmRecord } from '../metrics/recorders.ts';
import type { RealmTransaction, Site } from '../operations/access/caller.ts';
import * as outbox from '../operations/access/outbox.ts';
import * as realms from '../operations/access/realms.ts';
import * as attachments from '../operations/files/attachments.ts';
import * as publicImages from '../operations/files/public-images.ts';
import * as exports from '../operations/realm/exports.ts';
import * as jobs from '../operations/registration/jobs.ts';
import { demoPeople } from './demo-file.ts';
import { folderIds, openMaking, removeFolder, removeUnmade } from './making-realms.ts';
import { isForUsualRealm, isOwnHost } from './own-hosts.ts';
import { openRealmNames } from './realm-names.ts';
import { type AddressSettings, settledUrl } from './settled-url.ts';
import { openStoreRecords, openWholeStore, requireFolder } from './store-records.ts';
import { type NoteUnserved, openUnserved, type UnservedRealm } from './unserved-realm.ts';

export interface DeploymentInput {
  /** The data directory, which is locked by this process. */
  readonly path: string;
  readonly settings: ServerSettings;
  readonly clock: Clock;
  /** Notified that a commit did not reach the disk: the process must stop (design, invariant 8). */
  readonly onCommitFailed: (error: unknown) => void;
  readonly onRealmFailed: (error: unknown) => void;
  /** Called with the actor of each realm, also when it is started again. */
  readonly onRealmActor?: (realmId: number, actor: RealmActor) => void;
  /** Notified that a realm is not served, while the others are. */
  readonly onRealmUnserved?: NoteUnserved;
  /** Notified that a job of a realm met a bug; the realm goes on. */
  readonly onBug: (error: unknown) => void;
  readonly logBytesMax?: number | undefined;
  readonly commitMsMax?: number | undefined;
  /** The counts of all realms; by default nobody reads them. */
  readonly record?: RealmRecord | undefined;
  /** The space on the disk of the data directory. */
  readonly space: Space;
  /**
   * Delivers outbox entries; null where realms do nothing by themselves, as under the command line.
   */
  readonly deliver: Deliver | null;
}

type Deliver = (entries: readonly outbox.Entry[], origin: { realm: Realm; site: Site }) => void;

/** The realms of a data directory, each in a folder of its own. */
export interface Realms extends Deployment {
  /** The data directory. */
  readonly path: string;
  readonly settings: ServerSettings;
  /** Finds a realm by its name or a former one, for any host. */
  named(stringId: string): Realm | undefined;
  all(): readonly Realm[];
  /** Returns the realms whose stores were not opened. */
  unserved(): readonly UnservedRealm[];
  /** The realm as seen from nowhere in particular. */
  siteOf(realm: Realm): Site;
  /**
   * Makes a realm from an archive, under a free name: all of it or nothing. Throws `ArchiveError`.
   */
  adopt(stringId: string, archive: string): Promise<Realm>;
  /** Makes a realm with what `fill` writes: all of it or nothing. */
  create(realm: { stringId: string; name: string }, fill?: Fill): Promise<Realm>;
  /** Stops a realm and removes all its data. The caller has made sure that nobody needs it. */
  remove(realm: Realm): Promise<void>;
  stop(retryAfterMs: () => number): Promise<void>;
}

/** The folder of uploads, in the folder of a realm. */
const UPLOADS = 'uploads';

export type Fill = (tx: RealmTransaction, site: Site) => void;

/** A host that a client may send and an answer may repeat: `host`, `host:port`, `[::1]:port`. */
const HOST = /^(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+)(:\d{1,5})?$/;

export async function openRealms(input: DeploymentInput): Promise<Realms> {
  const { clock, settings } = input;
  const startedAt = Math.floor(clock.now() / 1000);
  const folder = join(input.path, 'realms');
  removeUnmade(folder);
  const supervised: SupervisedRealm[] = [];
  const names = openRealmNames<SupervisedRealm>();
  const siteAt = (host: RequestHost, reader: Names | undefined) =>
    siteOf(settings, { host, realm: reader && namesIn(reader), startedAt, isMeantByAny });
  const ownSite = (reader: Names) => siteAt('', reader);
  const listed = readRealmList(input.path);
  const unserved = openUnserved({ folder, listed, note: input.onRealmUnserved });
  const only = () => onlyOf([...supervised, ...unserved.standIns]);
  const realmOf = openHostRule(settings, names.get, only);
  const atStart = folderIds(folder).length;
  const publicName = publicNameOf(settings);
  // This decides as `realmOf` does, and also works while the realms are being opened.
  const isMeantByAny = ({ names: called }: RealmNames) =>
    called.includes(publicName) ||
    (names.get(publicName) === undefined &&
      (called.includes(settings.defaultRealm) || Math.max(atStart, supervised.length) <= 1));
  const hosts = openHosts({ realmOf, isUnserved: unserved.has, siteAt });
  const start = (id: number) =>
    startRealm(input, { folder, realmId: id, clock, startedAt, siteOf: ownSite });
  for (const id of idsIn(folder, listed)) {
    await start(id).then(add, (error) => {
      const { names: known, standIn } = unserved.leave(id, error);
      for (const name of known) names.set(name, standIn);
    });
  }
  const noteRealms = () => noteList(input.path, { supervised, unserved: unserved.all });
  noteRealms();
  const records = openStoreRecords({ clock, folder, realms: () => supervised });

  function add(realm: SupervisedRealm) {
    supervised.push(realm);
    for (const name of realms.namesOf(realm.current().reader)) names.set(name, realm);
    hosts.forget();
  }

  const changed = () => {
    hosts.forget();
    noteRealms();
  };
  const changing = { folder, supervised, names, changed };
  const removal = openRemoval(changing);
  const making = openMaking({
    folder,
    uploads: UPLOADS,
    now: () => clock.now(),
    ids: () => [...idsIn(folder, readRealmList(input.path)), ...removal.ids],
    isTaken: (stringId) => names.get(stringId) !== undefined,
    claim: (stringId) => names.claim(stringId, undefined),
    async open(id) {
      const started = await start(id);
      add(started);
      noteRealms();
      return started.current();
    },
  });

  return {
    path: input.path,
    settings,
    create: (realm, fill) => making.create(realm, (tx) => fill?.(tx, ownSite(tx))),
    adopt: making.adopt,
    named: (stringId) => unserved.orServed(names.get(stringId))?.current(),
    all: () => supervised.map((realm) => realm.current()),
    unserved: () => unserved.all,
    at: hosts.at,
    claimName: claiming(changing),
    demoPeople: () => demoPeople(input.path),
    remove: removal.remove,
    siteOf: ({ reader }) => ownSite(reader),
    stop: (retryAfterMs) =>
      records.closing(() => Promise.all(supervised.map((realm) => realm.stop(retryAfterMs)))),
  };
}

interface Changing {
  /** The folder of all realms. */
  readonly folder: string;
  readonly supervised: SupervisedRealm[];
  readonly names: RealmNameOwners;
  /** Called when the realms or their names are others than before. */
  readonly changed: () => void;
}

type RealmNameOwners = ReturnType<typeof openRealmNames<SupervisedRealm>>;

const claiming =
  ({ supervised, names, changed }: Changing) =>
  ({ id }: Realm, stringId: string) => {
    const realm = supervised.find((known) => known.current().id === id);
    const settle = names.claim(stringId, realm);
    return (isGiven: boolean) => {
      settle(isGiven);
      changed();
    };
  };

function openRemoval({ folder, supervised, names, changed }: Changing) {
  const ids: number[] = [];
  return {
    /** Ids of realms that are gone are not given out again: caches may still know them. */
    ids,
    async remove({ id }: Realm) {
      const index = supervised.findIndex((known) => known.current().id === id);
      const [realm] = supervised.splice(index, index < 0 ? 0 : 1);
      if (realm === undefined) throw new Error(`realm ${id} is not served`);
      ids.push(id);
      names.free(realm);
      // After a kill from here on the realm is whole and deactivated, as it was, or gone.
      changed();
      await realm.stop(() => 0);
      await removeFolder(folder, id);
    },
  };
}

/** Returns the rule by which a host means a realm, and no realm if it names one that is none. */
function openHostRule<One>(
  settings: ServerSettings,
  named: (name: string) => One | undefined,
  only: () => One | undefined,
) {
  const usual = () => named(settings.defaultRealm) ?? only();
  return (host: string) =>
    named(realmName(host)) ?? (isForUsualRealm(host, settings) ? usual() : undefined);
}

/** The name in the public URL, which names a realm or none. */
const publicNameOf = ({ publicUrl }: ServerSettings) =>
  publicUrl === null ? '' : realmName(new URL(publicUrl).host);

/** Returns the ids of realms that have a folder or are listed. */
const idsIn = (folder: string, listed: RealmList): readonly number[] =>
  [...new Set([...folderIds(folder), ...listed.map(({ id }) => id)])].sort(ascending);

interface Standing {
  readonly supervised: readonly SupervisedRealm[];
  readonly unserved: readonly UnservedRealm[];
}

/**
 * Writes the list of realms. A full disk has room for the stores first; then the next start writes
 * it.
 */
function noteList(data: string, { supervised, unserved }: Standing) {
  try {
    const served = supervised.map((realm) => {
      const { id, reader } = realm.current();
      return { id, names: [...realms.namesOf(reader)] };
    });
    const left = unserved.map(({ id, names }) => ({ id, names: [...names] }));
    keepRealmList(
      data,
      [...served, ...left].sort((one, other) => one.id - other.id),
    );
  } catch (error) {
    if (diskCode(error) === undefined) throw error;
  }
}

const onlyOf = <One>([first, ...more]: readonly One[]) => (more.length === 0 ? first : undefined);

interface Starting {
  /** The folder of all realms. */
  readonly folder: string;
  readonly realmId: number;
  readonly clock: Clock;
  readonly startedAt: number;
  readonly siteOf: (reader: Names) => Site;
}

async function startRealm(
  input: DeploymentInput,
  { folder, realmId, clock, startedAt, siteOf }: Starting,
): Promise<SupervisedRealm> {
  const path = join(folder, String(realmId));
  requireFolder(path);
  const files = openFileStore(join(path, UPLOADS));
  const run = randomUUID();
  const realm: SupervisedRealm = await superviseRealm({
    openStore: () => openWholeStore(path, realmId),
    files,
    clock,
    space: input.space,
    restartEvent: () => restartEvent(input.settings, startedAt),
    onCommitFailed: input.onCommitFailed,
    onFailed: input.onRealmFailed,
    onActor: (actor) => input.onRealmActor?.(realmId, actor),
    logBytesMax: input.logBytesMax,
    commitMsMax: input.commitMsMax,
    record: input.record,
    scheduler: schedulerOf(input, { run, siteOf, realm: () => realm.current() }),
  });
  // No upload is under way at this time; when a supervisor starts a realm again, some may be.
  files.removeRemains((name) => isOfRow(realm.current(), name));
  if (input.deliver !== null) await pickUpDropped(realm.current(), run);
  return realm;
}

async function pickUpDropped({ reader, now, perform, space }: Realm, run: string) {
  if (space.isFull()) return;
  // A start without dropped entries writes nothing.
  if (outbox.dropped(reader, { run, now: now() }).length === 0) return;
  await perform((tx) => outbox.pickUp(tx, run));
}

interface HostsInput {
  /** Finds the realm that a host means. */
  readonly realmOf: (host: string) => SupervisedRealm | undefined;
  readonly isUnserved: (realm: SupervisedRealm) => boolean;
  readonly siteAt: (host: RequestHost, reader: Names | undefined) => Site;
}

/**
 * Caches which realm a host means: it only changes with a new realm or name, and finding it costs
 * as much as answering a poll.
 */
function openHosts({ realmOf, isUnserved, siteAt }: HostsInput) {
  const hosts = recentlyUsed<RequestHost, Seen>(HOSTS_CACHED_MAX);
  // Most requests have the host of the one before, which needs no look-up.
  let latest: Seen | undefined;

  function look(host: RequestHost): Seen {
    const known = hosts.get(host);
    if (known !== undefined) return known;
    const realm = realmOf(nameOfHost(host));
    const isServed = realm !== undefined && !isUnserved(realm);
    // The store of a realm that starts again cannot be read: its names are looked up afterwards.
    const isClosed = isServed && !realm.current().isOpen();
    const reader = isServed && !isClosed ? realm.current().reader : undefined;
    const seen = { host, realm, site: siteAt(host, reader) };
    if (isClosed) return seen;
    if (nameOfHost(host).length <= HOST_LENGTH_MAX) hosts.set(host, seen);
    latest = seen;
    return seen;
  }

  return {
    forget() {
      hosts.clear();
      latest = undefined;
    },
    at(host: RequestHost): { realm: Realm | undefined; site: Site } {
      let seen = latest?.host === host ? latest : hosts.get(host);
      if (seen === undefined) seen = look(host);
      else latest = seen;
      return { realm: seen.realm?.current(), site: seen.site };
    },
  };
}

/** The realm that a host means, as it was found. */
interface Seen {
  readonly host: RequestHost;
  readonly realm: SupervisedRealm | undefined;
  readonly site: Site;
}

const isOfRow = ({ id, reader }: Realm, name: FileName): boolean =>
  attachments.isOf(reader, id, name) ||
  publicImages.isOf(reader, name) ||
  exports.isOf(reader, name);

interface SchedulerOf {
  /** The id of this run of the server. */
  readonly run: string;
  readonly siteOf: (reader: Names) => Site;
  readonly realm: () => Realm;
}

function schedulerOf(
  input: Pick<DeploymentInput, 'deliver' | 'onBug' | 'space' | 'clock' | 'settings'>,
  { run, siteOf, realm }: SchedulerOf,
): SchedulerInput {
  const { deliver, onBug, space, clock } = input;
  const { auditDays } = input.settings;
  if (deliver === null) return IDLE;
  const isShort = () => space.isShort();
  return {
    nextAt(reader) {
      const at = jobs.nextAt(reader, { isShort: isShort(), auditDays });
      // Nothing wakes the jobs that wait for space, so the realm asks again.
      return isShort() ? Math.min(at ?? NEVER, clock.now() + SPACE_LOOK_MS) : at;
    },
    due: (reader, now) => jobs.due(reader, { now, site: siteOf(reader), run, isShort: isShort() }),
    noteFailure(error) {
      if (!(error instanceof errors.ApiError)) onBug(error);
    },
    deliver(entries) {
      const origin = realm();
      // The jobs of `due` return entries.
      deliver(entries as readonly outbox.Entry[], { realm: origin, site: siteOf(origin.reader) });
    },
  };
}

const NEVER = Number.POSITIVE_INFINITY;

const IDLE: SchedulerInput = {
  nextAt: () => undefined,
  due: () => [],
  noteFailure: () => undefined,
  deliver: () => undefined,
};

/** Returns the first label of a host with several, in lower case: `<realm>.<domain>`. */
function realmName(host: string): string {
  const dot = host.indexOf('.');
  return dot < 0 ? '' : host.slice(0, dot).toLowerCase();
}

interface RealmNames {
  /** All names of the realm, the present one first. */
  readonly names: readonly string[];
  readonly addressName: string;
}

/** The tables that hold the names of a realm. */
type Names = Parameters<typeof realms.namesOf>[0];

const namesIn = (reader: Names): RealmNames => ({
  names: realms.namesOf(reader),
  addressName: realms.addressName(reader),
});

interface SeenFrom {
  readonly host: RequestHost;
  readonly realm: RealmNames | undefined;
  readonly startedAt: number;
  readonly isMeantByAny: (realm: RealmNames) => boolean;
}

/**
 * Returns the realm as seen by a request. If the operator has set a public URL, no host of a
 * request is repeated as its address; otherwise only own hosts are.
 */
function siteOf(settings: ServerSettings, seen: SeenFrom): Site {
  const addresses = addressSettings(settings);
  const { domain, isTls, publicUrl } = addresses;
  const under = (name: string | undefined) => (name === undefined ? domain : `${name}.${domain}`);
  const { name: host, isVouched, isTls: isTlsSaid } = asForwarded(seen.host);
  const isUsable = HOST.test(host) && URL.canParse(`http://${host}`);
  const names = seen.realm?.names ?? [];
  const isMeantByAny = seen.realm !== undefined && seen.isMeantByAny(seen.realm);
  const settledBy = (by: AddressSettings) => settledUrl(by, names[0], isMeantByAny);
  const settled = settledBy(addresses);
  // A proxy in front of this server has a port of its own.
  const shown =
    isTlsSaid === null ? settled : settledBy({ ...addresses, isTls: isTlsSaid, port: null });
  const isRepeated =
    isUsable && publicUrl === null && (isVouched || isOwnHost(host, domain, names));
  const scheme = (isTlsSaid ?? isTls) ? 'https' : 'http';
  return {
    url: isRepeated ? `${scheme}://${host}` : shown,
    currentUrl: isRepeated ? `${scheme}://${currentHost(host, names)}` : shown,
    settledUrl: settled,
    requestHost: isUsable ? host.toLowerCase() : '',
    host: under(seen.realm?.addressName),
    serverStartedAt: seen.startedAt,
    settings,
  };
}

const asForwarded = (host: RequestHost): ForwardedHost =>
  typeof host === 'string' ? { name: host, isVouched: false, isTls: null } : host;

/** The same host by the realm's present name, where it begins with a former one. */
function currentHost(host: string, [present, ...former]: readonly string[]): string {
  const name = realmName(host);
  return present !== undefined && former.includes(name) ? present + host.slice(name.length) : host;
}

const restartEvent = ({ aliasPrefix }: ServerSettings, startedAt: number): EventBody =>
  withAliases<Extract<EventBody, { type: 'restart' }>>(
    {
      type: 'restart',
      service_version: SERVICE_VERSION,
      service_merge_base: SERVICE_MERGE_BASE,
      service_feature_level: SERVICE_FEATURE_LEVEL,
      server_generation: startedAt,
    },
    aliasPrefix,
  );
