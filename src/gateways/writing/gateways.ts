import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Followers } from '../../../actors/realm/parts.ts';
import type { Realms } from '../../admin/deployment.ts';
import type { Dispatch } from '../../endpoints/dispatch.ts';
import { linkSecret } from '../../endpoints/files/temporary-links.ts';
import type { RateKind, RateLimiter } from '../../endpoints/rate-limiter.ts';
import { packr } from '../../events/msgpack.ts';
import { answerAsked } from '../../forwarding/asking.ts';
import type { Load } from '../../metrics/load.ts';
import type { Recorders } from '../../metrics/recorders.ts';
import { peopleView } from '../../operations/registration/state/people-view.ts';
import type { NoteBug } from '../../transport/answers/reply.ts';
import { type Counting, openCounting } from '../counts/counting.ts';
import { type GatewayCounts, openSum } from '../counts/counts.ts';
import { openTakings } from '../counts/rates.ts';
import { openShowing, type Showing } from '../counts/showing.ts';
import type { Shown, SocketCounts } from '../counts/shown.ts';
import { type GatewayProcess, startGateway, type Taken } from '../gateway-process.ts';
import type { Beginning, FromWriter } from '../link/frames.ts';
import { type Announcing, openAnnouncing } from './announcing.ts';
import { watchHeldSnapshots } from './held-snapshots.ts';
import { takeHold, takeStanding } from './holding.ts';
import { takeQueue } from './queues-of-gateways.ts';
import { type GatewaysStanding, openStanding } from './standing.ts';

/** A gateway that ends is followed by another after this time, twice as long each time. */
const PAUSE_MS = 1_000;
const PAUSE_MS_MAX = 30_000;
/** One that has run for so long was no failed start. */
const SETTLED_MS = 60_000;
/** Gateways that have not dismissed their clients by then are not waited for. */
const DRAIN_MS_MAX = 3_000;
/** How often gateways are told whether balancers should send requests, and until they should. */
const READY_MS = 1_000;
const NOT_READY_MS = 50;

export interface GatewaysInput {
  readonly count: number;
  readonly recorders: Recorders;
  /** A gateway has ended by itself, and another one follows. */
  readonly onGone: (why: string) => void;
  /** Some process has read a state of a realm for over a minute. */
  readonly onHeld: Parameters<typeof watchHeldSnapshots>[0]['onHeld'];
  /** A gateway has logged this line. */
  readonly onLine: (line: string) => void;
}

/** The parts of the writer that gateways need, and the frame that they begin with. */
export interface Writing {
  readonly realms: Realms;
  readonly dispatch: Dispatch;
  readonly noteBug: NoteBug;
  /** Counts requests that a gateway has let through. */
  readonly noteTaken: RateLimiter['note'];
  readonly beginning: Omit<Beginning, 'gateways' | 'links'>;
  readonly isReady: () => boolean;
}

/** The processes that serve the clients of this one, which writes (docs/decisions/0221). */
export interface Gateways {
  /** The word by which the writer knows its gateways. */
  readonly secret: string;
  /** Returns what a realm tells of its commits. */
  followersOf(realmId: number): Followers;
  /** Starts them; resolves when all of them listen. */
  begin(writing: Writing): Promise<void>;
  /** There is another realm, or one is gone, or has another name. */
  realmsChanged(): void;
  /** Tells all of a request that the writer itself has let through. */
  readonly onTaken: (kind: RateKind, name: string | number) => void;
  readTlsAgain(): void;
  /** Returns the numbers of sockets, as each gateway tells them once a second. */
  socketCounts(): Iterable<SocketCounts>;
  /** Resolves when all gateways have told what they counted until now, or do not answer. */
  counted(): Promise<void>;
  /** Returns the clients of all gateways, as they have described them last. */
  shown(): Iterable<Shown>;
  /** Describes them for the operator. */
  view(): GatewaysStanding;
  /** Tells at once that balancers should send no more requests. */
  notReady(): void;
  /** Has them take no new connections, and tell clients to come back within this time. */
  drain(retryMs: readonly [min: number, max: number]): Promise<void>;
  /** Lets the last answers out, and ends them. */
  end(): void;
}

/** A gateway, as far as the writer has told it of the server. */
interface Gateway extends GatewayProcess {
  readonly counts: GatewayCounts;
  readonly announcing: Announcing;
  /** The realms that it was told of. */
  readonly realms: Set<number>;
  /** As it was told last. */
  sockets: SocketCounts;
  load: Load;
}

export function openGateways(input: GatewaysInput): Gateways {
  const { count, recorders, onLine } = input;
  const all = new Map<number, Gateway>();
  const sum = openSum(recorders);
  const showing = openShowing(() => tell(['show']));
  const counting = openCounting();
  const standing = openStanding(count, all);
  const ready = openReadiness((isReady) => tell(['ready', isReady]));
  let writing: Writing | null = null;
  let isStopping = false;
  let newest = 0;

  function tell(frame: FromWriter) {
    for (const { stream } of all.values()) stream.send(frame);
  }

  /** Starts one; resolves when it listens. */
  async function start(given: Writing): Promise<void> {
    newest += 1;
    const started = startGateway(newest, (frame) =>
      take(frame, gateway, { writing: given, all, showing, counting, onLine }),
    );
    const { number, stream } = started;
    const gateway = untold(started, sum());
    all.set(number, gateway);
    void gateway.ended.then(() => {
      all.delete(number);
      leave(gateway, { realms: given.realms, showing, counting });
    });
    stream.send(['begin', { ...given.beginning, gateways: count, links: linkSecret.bytes }]);
    tellRealms(gateway, given.realms);
    stream.send(['ready', ready.isReady()]);
    stream.send(['listen']);
    await gateway.serving;
    void gateway.ended.then((why) => {
      void again(given, why, firstPauseMs(gateway));
    });
  }

  async function again(given: Writing, why: string, pauseMs: number) {
    if (isStopping) return;
    standing.noteEnd(why);
    input.onGone(why);
    await pause(pauseMs, undefined, { ref: false });
    if (isStopping) return;
    await start(given).catch((error: Error) =>
      again(given, error.message, Math.min(2 * pauseMs, PAUSE_MS_MAX)),
    );
  }

  return {
    secret: randomBytes(32).toString('hex'),
    followersOf: (realmId) => followers(realmId, all, showing),
    async begin(given) {
      writing = given;
      const held = watchHeldSnapshots({ realms: given.realms.all, onHeld: input.onHeld });
      ready.watch(given.isReady, held.close);
      await Promise.all(Array.from({ length: count }, () => start(given)));
    },
    realmsChanged() {
      if (writing === null) return;
      for (const gateway of all.values()) tellRealms(gateway, writing.realms);
    },
    onTaken: openTakings((taken) => tell(['took', taken])),
    readTlsAgain: () => tell(['tls']),
    socketCounts: () => Array.from(all.values(), ({ sockets }) => sockets),
    counted: () => counting.now(all.values()),
    shown: showing.all,
    view: standing.view,
    notReady() {
      isStopping = true;
      ready.stop();
      tell(['stopping']);
    },
    drain([min, max]) {
      tell(['drain', min, max]);
      return drained(all.values());
    },
    end() {
      for (const { stream } of all.values()) stream.end();
    },
  };
}

/** One that has just started is not started again as soon. */
const firstPauseMs = ({ startedAt }: Gateway) =>
  Date.now() - startedAt >= SETTLED_MS ? PAUSE_MS : 2 * PAUSE_MS;

/** Resolves when they have dismissed their clients, or are not waited for any more. */
async function drained(gateways: Iterable<Gateway>): Promise<void> {
  const all = Promise.all(Array.from(gateways, (gateway) => gateway.drained()));
  await Promise.race([all, pause(DRAIN_MS_MAX, undefined, { ref: false })]);
}

/** Returns a gateway that was told nothing yet, and has told nothing. */
const untold = (started: GatewayProcess, counts: GatewayCounts): Gateway => ({
  ...started,
  counts,
  announcing: openAnnouncing(started.stream),
  realms: new Set(),
  sockets: { open: 0, behind: 0 },
  load: { cpu: 0, rssBytes: 0 },
});

/** Returns what a realm tells all gateways that know it. */
const followers = (
  realmId: number,
  all: ReadonlyMap<number, Gateway>,
  showing: Showing,
): Followers => ({
  views: {
    tables: peopleView.tables,
    tell(version, keys) {
      if (all.size === 0) return;
      const packed = keys === null ? null : packr.pack(keys);
      for (const { announcing, realms } of all.values()) {
        if (realms.has(realmId)) announcing.tellOfViews(realmId, version, packed);
      }
    },
  },
  trees: () =>
    Array.from(showing.all()).flatMap(({ realms }) =>
      realms.filter(([id]) => id === realmId).map(([, tree]) => tree),
    ),
  announce(entries) {
    if (all.size === 0) return;
    // They are packed once for all gateways.
    const rows = packr.pack(entries);
    const head = entries.at(-1)?.id ?? 0;
    for (const { announcing, realms } of all.values()) {
      if (realms.has(realmId)) announcing.announce(realmId, head, rows);
    }
  },
  ended: (holder, queueId, why) => all.get(holder)?.stream.send(['ended', realmId, queueId, why]),
});

/** A gateway has ended: its consumers are gone. */
function leave(
  { number, counts, announcing }: Gateway,
  { realms, showing, counting }: Pick<Taking, 'showing' | 'counting'> & Pick<Writing, 'realms'>,
) {
  showing.gone(number);
  counting.gone(number);
  announcing.close();
  counts.gone();
  for (const realm of realms.all()) {
    realm.holds.gone(number);
    realm.forgetDeadReaders();
  }
}

/** Does what a gateway asks for. */
function take(frame: Taken, gateway: Gateway, { writing, all, showing, counting, onLine }: Taking) {
  const { number, stream, counts } = gateway;
  if (frame[0] === 'counts') {
    gateway.sockets = frame[2];
    gateway.load = frame[3];
    return counts.add(frame[1]);
  }
  if (frame[0] === 'logged') return onLine(frame[1]);
  if (frame[0] === 'counted') return counting.told(number, frame[1]);
  if (frame[0] === 'shown') return showing.take(number, frame[1]);
  if (frame[0] === 'took') {
    for (const taken of frame[1]) writing.noteTaken(...taken);
    for (const other of all.values()) if (other !== gateway) other.stream.send(frame);
    return;
  }
  if (frame[0] === 'ask') {
    const [, asked, request] = frame;
    return answerAsked(request, {
      dispatch: writing.dispatch,
      noteBug: writing.noteBug,
      tell: (outcome) => stream.send(['answer', asked, outcome]),
    });
  }
  const served = writing.realms.all();
  if (frame[0] === 'add queue' || frame[0] === 'begin queue') {
    const realm = served.find(({ id }) => id === frame[2]);
    return takeQueue(realm, frame, { noteBug: writing.noteBug, send: stream.send });
  }
  const realm = served.find(({ id }) => id === frame[1]);
  if (realm === undefined) return;
  if (frame[0] === 'beat') realm.beat();
  else if (frame[0] === 'used') for (const use of frame[2]) realm.keyUses.take(use);
  else if (frame[0] === 'hold')
    takeHold(realm, frame[2], { number, streamOf: (other) => all.get(other)?.stream });
  else takeStanding(realm, number, frame);
}

interface Taking {
  readonly writing: Writing;
  readonly all: ReadonlyMap<number, Gateway>;
  readonly showing: Showing;
  readonly counting: Counting;
  readonly onLine: GatewaysInput['onLine'];
}

/** Tells a gateway of the realms that it does not know, of those that are gone, and of names. */
function tellRealms({ stream, realms: known }: Gateway, realms: Realms) {
  const served = new Map(realms.all().map((realm) => [realm.id, realm]));
  for (const id of known) {
    if (served.has(id)) continue;
    known.delete(id);
    stream.send(['realm gone', id]);
  }
  for (const [id, realm] of served) {
    if (known.has(id)) continue;
    known.add(id);
    // Events after this one follow on the stream, and those before it are in the store.
    stream.send(['realm', id, realm.announced()]);
  }
  stream.send(['names', realms.unserved().map(({ names }) => names)]);
}

/** Follows whether the server is ready, and tells when it changes. */
function openReadiness(tell: (isReady: boolean) => void) {
  let isReady = false;
  let timer: NodeJS.Timeout | undefined;
  let stopOthers = () => {};
  const set = (next: boolean) => {
    if (next === isReady) return;
    isReady = next;
    tell(isReady);
  };
  return {
    isReady: () => isReady,
    /** `onStop` ends what else is watched for as long. */
    watch(look: () => boolean, onStop: () => void) {
      stopOthers = onStop;
      const again = () => {
        set(look());
        timer = setTimeout(again, isReady ? READY_MS : NOT_READY_MS).unref();
      };
      again();
    },
    stop() {
      clearTimeout(timer);
      stopOthers();
      set(false);
    },
  };
}
