import { randomInt } from 'node:crypto';
import { join, resolve } from 'node:path';
import { systemClock } from '../../../actors/clock.ts';
import type { Writer as RealmWriter } from '../../../actors/realm/following.ts';
import type { ToldKeys } from '../../../storage/told-views.ts';
import type { LogEntry } from '../../domain/wire/events/log-entry.ts';
import { linkSecret } from '../../endpoints/files/temporary-links.ts';
import { ENDPOINTS } from '../../endpoints/index.ts';
import { packr } from '../../events/msgpack.ts';
import { errorOf } from '../../forwarding/asking.ts';
import { mountRelay, relayPatterns } from '../../forwarding/relay.ts';
import type { Recorders } from '../../metrics/recorders.ts';
import type { Notes } from '../../notes.ts';
import { openServed } from '../../served.ts';
import { type Listener, listen, listeningSocketsOf } from '../../transport/connections/listen.ts';
import { openTakings } from '../counts/rates.ts';
import { shownBy } from '../counts/showing.ts';
import type { SocketCounts } from '../counts/shown.ts';
import type { Beginning } from '../link/frames.ts';
import { type FollowedRealms, openFollowedRealms } from './followed-realms.ts';
import type { Told, Writer } from './writer.ts';

/** When the writer is gone, clients are told to come back after as long as a start takes. */
const WRITER_GONE_MS = [500, 3_000] as const;

interface PartInput {
  readonly beginning: Beginning;
  readonly writer: Writer;
  readonly notes: Notes;
  readonly recorders: Recorders;
  /** Tells the writer what was counted. */
  readonly tellCounts: (sockets: SocketCounts) => void;
}

/** The part that a gateway plays for its writer. */
export interface Part {
  /** Does what a frame says; rejects if this process cannot go on. */
  take(frame: Told): Promise<void>;
  /** Dismisses the clients, if the writer has not had them dismissed. */
  writerIsGone(): Promise<void>;
  isDraining(): boolean;
  socketCounts(): SocketCounts;
}

export function openPart(input: PartInput): Part {
  const { beginning, writer, notes, recorders } = input;
  const { settings, port, gateways, relay, startedAt } = beginning;
  const { host, tls } = settings;
  let listener: Listener | null = null;
  let isReady = false;
  let isDraining = false;
  linkSecret.bytes = beginning.links;
  const followed = openFollowedRealms({
    folder: join(resolve(settings.data), 'realms'),
    settings,
    clock: systemClock,
    startedAt,
    record: recorders.realms,
    writerOf: (realmId) => writerOf(realmId, writer),
    onFilesChanged: notes.filesChanged,
  });
  const served = openServed(
    {
      settings,
      clock: systemClock,
      notes,
      recorders,
      isReady: () => isReady,
      forward: writer.ask,
      onTaken: openTakings((taken) => writer.send(['took', taken])),
    },
    followed,
  );

  const socketCounts = () => ({ open: served.socketCount(), behind: served.socketsBehind() });

  async function listenHere() {
    const place = { host, port, tls, shares: listeningSocketsOf(gateways) };
    listener = await listen({ ...place, onShort: notes.shortOfDescriptors }, (app) => {
      const relaying = { targetOf: () => relay, proxies: served.proxies, isTls: tls !== null };
      mountRelay(app, relayPatterns(ENDPOINTS), relaying);
      served.mount(app);
    });
  }

  async function dismiss([min, max]: readonly [min: number, max: number]) {
    isDraining = true;
    const retryAfterMs = () => randomInt(min, max);
    listener?.close();
    await followed.stop(retryAfterMs);
    served.dismiss(retryAfterMs);
  }

  return {
    async take(frame) {
      if (frame[0] === 'ready') isReady = frame[1];
      else if (frame[0] === 'took') for (const taken of frame[1]) served.noteTaken(...taken);
      else if (frame[0] === 'count') {
        input.tellCounts(socketCounts());
        writer.send(['counted', frame[1]]);
      } else if (frame[0] === 'stopping') {
        isReady = false;
        served.endConnections();
      } else if (frame[0] === 'show') writer.send(['shown', shownBy(served, followed)]);
      else if (frame[0] === 'tls') await listener?.readTlsAgain();
      else if (frame[0] === 'listen') {
        await listenHere();
        writer.send(['serving']);
      } else if (frame[0] === 'drain') {
        await dismiss([frame[1], frame[2]]);
        writer.send(['drained']);
      } else await follow(followed, frame);
    },
    async writerIsGone() {
      if (!isDraining) await dismiss(WRITER_GONE_MS);
    },
    isDraining: () => isDraining,
    socketCounts,
  };
}

type OfRealms = Exclude<
  Told,
  readonly [
    'ready' | 'stopping' | 'count' | 'took' | 'show' | 'tls' | 'listen' | 'drain',
    ...unknown[],
  ]
>;

async function follow(followed: FollowedRealms, frame: OfRealms) {
  if (frame[0] === 'events') followed.announce(frame[1], packr.unpack(frame[2]) as LogEntry[]);
  else if (frame[0] === 'views') {
    const keys = frame[3] === null ? null : (packr.unpack(frame[3]) as ToldKeys); // as it was sent
    followed.realm(frame[1])?.viewsWritten(frame[2], keys);
  } else if (frame[0] === 'head') followed.realm(frame[1])?.announceTo(frame[2]);
  else if (frame[0] === 'ended') followed.realm(frame[1])?.end(frame[2], frame[3]);
  else if (frame[0] === 'replaced') followed.realm(frame[1])?.replaced(frame[2], frame[3]);
  else if (frame[0] === 'realm') followed.add(frame[1], frame[2]);
  else if (frame[0] === 'realm gone') await followed.remove(frame[1]);
  else followed.named(frame[1]);
}

/** Tells the writer of the consumers of a realm. */
const writerOf = (realmId: number, { send, askBy }: Writer): RealmWriter => ({
  add: (asked, settle) =>
    askBy(
      (number) => ['add queue', number, realmId, asked],
      (outcome) => {
        if (outcome.is === 'stored') settle({ isDone: true, reply: outcome.queue });
        else settle({ isDone: false, error: errorOf(outcome) });
      },
    ),
  begin: (queueId, position, settle) =>
    askBy(
      (number) => ['begin queue', number, realmId, queueId, position],
      (outcome) => {
        if (outcome.is === 'begun') settle({ isDone: true, reply: undefined });
        else settle({ isDone: false, error: errorOf(outcome) });
      },
    ),
  hold(id, { acknowledged, position, deliveredId }, at) {
    send(['hold', realmId, [id, acknowledged, position, deliveredId, at]]);
  },
  letGo(id, { acknowledged, position, deliveredId }) {
    send(['let go', realmId, [id, acknowledged, position, deliveredId, 0]]);
  },
  stand(queues) {
    const held = queues.map(
      ([id, { acknowledged, position, deliveredId }]) =>
        [id, acknowledged, position, deliveredId, 0] as const,
    );
    send(['stands', realmId, held]);
  },
  beat: () => send(['beat', realmId]),
  used: (uses) => send(['used', realmId, uses]),
});
