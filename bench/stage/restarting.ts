import { type LoadProcess, startLoadProcess } from '../load/load-process.ts';
import { type SteadyPlan, sharedNowMs } from '../load/steady-sends.ts';
import type { Address } from '../load/stream.ts';
import { temporaryDirectory } from '../servers/belongings.ts';
import { forkServer, freePort, type RunningServer, startConfab } from '../servers/start.ts';
import type { Setting } from '../suite/context.ts';
import { type Audience, createAudience, floorAudience, subscribe } from './audience.ts';
import { openStage } from './subject.ts';

export type Signal = 'SIGTERM' | 'SIGKILL';

export interface Restarted {
  readonly pid: number;
  /** When the old process was gone, on the clock of all processes. */
  readonly endedAtMs: number;
}

/** A server that is ended and started again on its port and its data, those who come back to it, and who sends meanwhile. */
export interface Restarting {
  readonly name: string;
  readonly restart: (signal: Signal) => Promise<Restarted>;
  /** Of the sockets. */
  readonly listeners: LoadProcess;
  readonly sender: LoadProcess;
  /** To all, and to a channel of their own. */
  readonly plans: readonly SteadyPlan[];
  readonly stop: () => Promise<void>;
}

export interface Company {
  readonly sockets: number;
  /** Sends a second. */
  readonly toAll: number;
  readonly aside: number;
}

const ASIDE = 'aside';
/** About what confab says of a message around its content. */
const ENVELOPE_BYTES = 500;

export async function restartingConfab(setting: Setting, company: Company): Promise<Restarting> {
  const { server, place, stop } = await openStage(setting);
  const { data, address, owner } = place;
  if (data === undefined) throw new Error('a server elsewhere is not ours to end');
  const audience = await createAudience(place, { size: company.sockets });
  await subscribe(address, owner, [ASIDE], [owner.user_id]);
  return await withCompany(company, {
    server,
    audience,
    start: () => startConfab({ data, port: address.port }),
    // The first process is gone already; this removes its data.
    removeData: stop,
  });
}

export async function restartingFloor(company: Company): Promise<Restarting> {
  const directory = temporaryDirectory();
  const port = await freePort();
  const audience = floorAudience({ size: company.sockets });
  const own = [`--data=${directory.path}`, `--port=${port}`, `--channel=${audience.channel}`];
  const parameters = [...own, `--envelope-bytes=${ENVELOPE_BYTES}`];
  const start = () => forkServer({ name: 'floor', file: 'resume-floor', parameters });
  const server = await start();
  return await withCompany(company, {
    server,
    audience,
    start,
    removeData: async () => directory.remove(),
  });
}

interface Begun {
  readonly server: {
    readonly name: string;
    readonly address: Address;
    readonly stop: RunningServer['stop'];
  };
  readonly audience: Audience;
  readonly start: () => Promise<RunningServer>;
  readonly removeData: () => Promise<void>;
}

async function withCompany(
  { toAll, aside }: Company,
  { server, audience, start, removeData }: Begun,
): Promise<Restarting> {
  let stopServer = server.stop;
  const [listeners, sender] = [startLoadProcess(), startLoadProcess()];
  for (const load of [listeners, sender]) await load.ask('target', server.address);
  await listeners.ask('listen', audience.listeners('socket'));
  return {
    name: server.name,
    restart: async (signal) => {
      await stopServer(signal);
      const endedAtMs = sharedNowMs();
      const { pid, stop } = await start();
      stopServer = stop;
      return { pid, endedAtMs };
    },
    listeners,
    sender,
    plans: [
      { sender: audience.sender, channel: audience.channel, perSecond: toAll },
      { sender: audience.sender, channel: ASIDE, perSecond: aside },
    ],
    stop: async () => {
      for (const load of [listeners, sender]) load.stop();
      await stopServer();
      await removeData();
    },
  };
}
