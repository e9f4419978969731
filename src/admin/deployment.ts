import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type Clock, systemClock } from '../../actors/clock.ts';
import type { AgendaInput } from '../../actors/realm/agenda.ts';
import type { Realm } from '../../actors/realm/realm-handle.ts';
import { type SupervisedRealm, superviseRealm } from '../../actors/supervisor.ts';
import { type FileName, openFileStore } from '../../storage/file-store.ts';
import { openRealmStore } from '../../storage/realm-store.ts';
import { withAliases } from '../domain/aliases.ts';
import * as errors from '../domain/errors.ts';
import type { EventBody } from '../domain/log-entry.ts';
import { SERVICE_FEATURE_LEVEL, SERVICE_MERGE_BASE, SERVICE_VERSION } from '../domain/version.ts';
import type { Deployment } from '../endpoints/dispatch.ts';
import * as agenda from '../operations/agenda.ts';
import * as attachments from '../operations/attachments.ts';
import type { Place } from '../operations/caller.ts';
import type { Letter } from '../operations/outbox.ts';
import * as publicPictures from '../operations/public-pictures.ts';
import type { Operation, RealmTransaction } from '../operations/realm-access.ts';
import * as realms from '../operations/realms.ts';

export interface DeploymentInput {
  /** The data directory, already taken. */
  readonly path: string;
  readonly domain: string;
  readonly defaultRealm: string;
  readonly aliasPrefix: string;
  readonly isWebPublic: boolean;
  readonly limitsPresence: boolean;
  /** Whether a push bouncer is configured. */
  readonly hasPushService: boolean;
  readonly hasMailService: boolean;
  /** Whether messages show what they link, in realms that want it. */
  readonly showsPreviews: boolean;
  readonly gravatarUrl: string | null;
  readonly invitationMinutes: number;
  readonly maxUploadMib: number;
  readonly isTls: boolean;
  readonly clock?: Clock;
  /** A commit did not reach the disk: the process must stop (design, invariant 8). */
  readonly onCommitFailed: (error: unknown) => void;
  readonly onRealmFailed: (error: unknown) => void;
  /** Something that a realm does by itself met a bug; the realm goes on. */
  readonly onBug: (error: unknown) => void;
  readonly logBytesMax?: number | undefined;
  /** Takes what is to leave the server; null where realms do nothing by themselves, as under the command line. */
  readonly carry: Carry | null;
}

type Carry = (letters: readonly Letter[], origin: { realm: Realm; place: Place }) => void;

/** The realms of a data directory, each in a folder of its own. */
export interface Realms extends Deployment {
  /** By name, whatever the host. */
  named(stringId: string): Realm | undefined;
  all(): readonly Realm[];
  /** The realm as seen from nowhere in particular. */
  placeOf(realm: Realm): Place;
  /** Makes a folder and a realm in it, with what `fill` writes: all of it or nothing. */
  create(realm: { stringId: string; name: string }, fill?: Fill): Promise<Realm>;
  stop(retryAfterMs: () => number): Promise<void>;
}

/** Host names that clients call realms by. */
const HOSTS_CACHED_MAX = 1_000;
/** A host name has at most 253 characters (RFC 1035), and a port five. */
const HOST_LENGTH_MAX = 260;

/** In the folder of a realm, beside its tables: a realm is one folder. */
const UPLOADS = 'uploads';

export type Fill = (tx: RealmTransaction, place: Place) => void;

/** `host`, `host:port`, `[::1]:port`: what a client may send and an answer may repeat. */
const HOST = /^(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+)(:\d{1,5})?$/;

export async function openRealms(input: DeploymentInput): Promise<Realms> {
  const clock = input.clock ?? systemClock;
  const startedAt = Math.floor(clock.now() / 1000);
  const folder = join(input.path, 'realms');
  const supervised = new Map<string, SupervisedRealm>();
  const hosts = new Map<string, { realm: SupervisedRealm | undefined; place: Place }>();

  const ownPlace = (realm: Pick<Realm, 'stringId'>) =>
    placeOf(input, { host: '', realm, startedAt });

  for (const id of folderIds(folder)) {
    const store = await start(id);
    supervised.set(store.current().stringId, store);
  }

  async function start(id: number): Promise<SupervisedRealm> {
    const path = join(folder, String(id));
    const files = openFileStore(join(path, UPLOADS));
    const realm: SupervisedRealm = await superviseRealm({
      openStore: () => openRealmStore(path),
      files,
      clock,
      restartEvent: () => restartEvent(input.aliasPrefix, startedAt),
      onCommitFailed: input.onCommitFailed,
      onFailed: input.onRealmFailed,
      logBytesMax: input.logBytesMax,
      agenda: agendaOf(input, { placeOf: ownPlace, realm: () => realm.current() }),
    });
    // Nothing is being received yet: a realm that is started again by its supervisor keeps what is.
    files.removeRemains((name) => isOfRow(realm.current(), name));
    return realm;
  }

  async function create({ stringId, name }: { stringId: string; name: string }, fill?: Fill) {
    realms.refuseStringId(stringId);
    if (supervised.has(stringId)) {
      throw errors.badRequest(`There is a realm '${stringId}' already`);
    }
    const id = Math.max(0, ...folderIds(folder)) + 1;
    const write: Operation<void> = (tx) => {
      realms.create(tx, { id, stringId, name });
      fill?.(tx, placeOf(input, { host: '', realm: { stringId }, startedAt }));
    };
    await makeRealm(join(folder, String(id)), write, clock.now());
    const started = await start(id);
    supervised.set(stringId, started);
    hosts.clear();
    return started.current();
  }

  let lastCreation: Promise<unknown> = Promise.resolve();
  /** Which realm a host means does not change but by a new realm; reading it costs as much as answering a poll. */
  function at(host: string): { realm: Realm | undefined; place: Place } {
    let seen = hosts.get(host);
    if (seen === undefined) {
      const stringId = [realmName(host), input.defaultRealm].find((name) => supervised.has(name));
      const realm = stringId === undefined ? only() : supervised.get(stringId);
      seen = { realm, place: placeOf(input, { host, realm: realm?.current(), startedAt }) };
      if (hosts.size >= HOSTS_CACHED_MAX) hosts.clear();
      if (host.length <= HOST_LENGTH_MAX) hosts.set(host, seen);
    }
    return { realm: seen.realm?.current(), place: seen.place };
  }

  const named = (stringId: string) => supervised.get(stringId)?.current();
  const only = () => (supervised.size === 1 ? [...supervised.values()][0] : undefined);
  return {
    // One after the other: each takes the next free number.
    create(realm, fill) {
      const creation = lastCreation.then(() => create(realm, fill));
      lastCreation = creation.catch(() => undefined);
      return creation;
    },
    named,
    all: () => Array.from(supervised.values(), (realm) => realm.current()),
    at,
    placeOf: ownPlace,
    stop: async (retryAfterMs) => {
      await Promise.all(Array.from(supervised.values(), (realm) => realm.stop(retryAfterMs)));
    },
  };
}

const isOfRow = ({ id, reader }: Realm, name: FileName): boolean =>
  attachments.isOf(reader, id, name) || publicPictures.isOf(reader, name);

interface AgendaOf {
  readonly placeOf: (realm: Pick<Realm, 'stringId'>) => Place;
  readonly realm: () => Realm;
}

function agendaOf(
  { carry, onBug }: Pick<DeploymentInput, 'carry' | 'onBug'>,
  { placeOf, realm }: AgendaOf,
): AgendaInput {
  if (carry === null) return IDLE;
  return {
    nextAt: agenda.nextAt,
    due(reader, now) {
      const stringId = reader.realm.get(['realm'])?.stringId ?? '';
      return agenda.due(reader, { now, place: placeOf({ stringId }) });
    },
    noteFailure(error) {
      if (!(error instanceof errors.ApiError)) onBug(error);
    },
    carry(letters) {
      const origin = realm();
      // What `due` of the same agenda returned.
      carry(letters as readonly Letter[], { realm: origin, place: placeOf(origin) });
    },
  };
}

const IDLE: AgendaInput = {
  nextAt: () => undefined,
  due: () => [],
  noteFailure: () => undefined,
  carry: () => undefined,
};

/** The first label of a host that has more, whatever the case: `<realm>.<domain>`. */
function realmName(host: string): string {
  const dot = host.indexOf('.');
  return dot < 0 ? '' : host.slice(0, dot).toLowerCase();
}

function placeOf(
  input: DeploymentInput,
  seen: { host: string; realm: Pick<Realm, 'stringId'> | undefined; startedAt: number },
): Place {
  const { domain, isTls, aliasPrefix, isWebPublic, limitsPresence } = input;
  const { hasPushService, hasMailService } = input;
  const own = seen.realm === undefined ? domain : `${seen.realm.stringId}.${domain}`;
  const isUsable = HOST.test(seen.host) && URL.canParse(`http://${seen.host}`);
  const host = isUsable ? seen.host : own;
  return {
    url: `${isTls ? 'https' : 'http'}://${host}`,
    host: own,
    aliasPrefix,
    limitsPresence,
    hasPushService,
    hasMailService,
    serverStartedAt: seen.startedAt,
    isWebPublic,
    showsPreviews: input.showsPreviews,
    gravatarUrl: input.gravatarUrl,
    invitationMinutes: input.invitationMinutes,
    maxUploadMib: input.maxUploadMib,
  };
}

/** Folders are named by the id of their realm. */
const folderIds = (folder: string) =>
  readdirSync(folder)
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .sort((one, other) => one - other);

/** Made aside and then renamed, so that a kill in between leaves no folder without a realm. */
async function makeRealm(path: string, write: Operation<void>, now: number) {
  const folder = dirname(path);
  const aside = join(folder, `.new-${basename(path)}`);
  rmSync(aside, { recursive: true, force: true });
  mkdirSync(aside, { mode: 0o700 });
  const store = openRealmStore(aside);
  const [outcome] = await store.commit(
    () => [write],
    () => now,
  );
  await store.close();
  if (outcome !== undefined && 'error' in outcome) throw outcome.error;
  renameSync(aside, path);
  syncFolder(folder);
}

/** A new name is on disk only when its folder is. */
function syncFolder(path: string) {
  const folder = openSync(path, 'r');
  fsyncSync(folder);
  closeSync(folder);
}

const restartEvent = (aliasPrefix: string, startedAt: number): EventBody =>
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
