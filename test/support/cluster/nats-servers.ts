import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../../bench/servers/free-port.ts';
import { makeScratch } from '../scratch.ts';
import type { Disk } from './recipes/disks.ts';

/** NATS comes from its source (`.ci/run`); without it, tests that need it count as skipped. */
export const isNatsMissing = spawnSync('nats-server', ['--version']).status !== 0;

/** The place of a server: an address, and what its command begins with there. */
export interface Place {
  readonly address: string;
  readonly prefix: readonly string[];
}

export interface NatsOptions {
  /** Three, as in production; one has streams without replicas. */
  readonly count?: number;
  /** `always`, as in production, or the default of NATS, which syncs every two minutes. */
  readonly sync?: 'always' | 'default';
  /** Hosts of the servers; otherwise all are on this one. */
  readonly places?: readonly Place[];
  /** Puts the data on a disk, whose syncs cost what they cost, and not into memory. */
  readonly isOnDisk?: boolean;
  /** The disks of the servers, which lose what was not synced when they are told to. */
  readonly disks?: readonly Disk[];
  /** Lines that are added to the file of each server. */
  readonly lines?: readonly string[];
}

/** Real NATS servers, with data of their own. */
export interface NatsServers {
  readonly urls: readonly string[];
  /** The names of the servers, as they call each other. */
  readonly names: readonly string[];
  /** Starts a server that does not run, and waits until it listens. */
  start(number: number): Promise<void>;
  /** Ends a server, and waits for its end. */
  end(number: number, signal: NodeJS.Signals): Promise<void>;
  /** Lets a server sleep, or wakes it. */
  signal(number: number, signal: 'SIGSTOP' | 'SIGCONT'): void;
  pid(number: number): number;
  /** The monitoring page of a server, if its host is this one. */
  monitor(number: number): string;
  /** Returns the last lines of what a server has logged. */
  logged(number: number): string;
  /** Keeps a copy of what all have stored, while they sleep. */
  keep(): void;
  /** Kills all, and starts them with what was kept: what they stored since then is gone. */
  restore(): Promise<void>;
  /**
   * Brings a power failure about: all sleep at once, their disks lose what was not synced, and they
   * are killed and started again. They need disks that fail.
   */
  losePower(): Promise<void>;
  /** Ends all, and removes their data. */
  close(): Promise<void>;
}

const UP_MS = 20_000;
/**
 * A server that was cut off keeps its old connections to the others for alive until it has pinged
 * them in vain, and refuses new ones from them meanwhile: after a minute by default.
 */
const ROUTES = 'ping_interval: "2s", ping_max: 2';

interface Server {
  readonly name: string;
  readonly place: Place;
  readonly port: number;
  readonly monitorPort: number;
  /** The folder of its settings and of what it logs. */
  readonly folder: string;
  /** The folder of what it stores. */
  readonly store: string;
  process: ChildProcess | undefined;
}

export async function startNats(options: NatsOptions = {}): Promise<NatsServers> {
  const { count = 3, sync = 'always', lines = [] } = options;
  const root = options.isOnDisk ? mkdtempSync(join(tmpdir(), 'confab-nats-')) : makeScratch();
  const places = Array.from({ length: count }, (_, number): Place => {
    return options.places?.[number] ?? { address: '127.0.0.1', prefix: [] };
  });
  const ports = await Promise.all(
    places.map(() => Promise.all([freePort(), freePort(), freePort()])),
  );
  const routes = places.map(({ address }, number) => `nats://${address}:${ports[number]?.[1]}`);
  const servers = places.map((place, number): Server => {
    const [port = 0, route = 0, monitorPort = 0] = ports[number] ?? [];
    const folder = join(root, `n${number}`);
    mkdirSync(folder);
    const name = `n${number}`;
    const store = options.disks?.[number]?.path ?? join(folder, 'store');
    const { address } = place;
    const file = [
      `server_name: ${name}`,
      `listen: "${address}:${port}"`,
      `http: "${address}:${monitorPort}"`,
      'max_payload: 8MB',
      `jetstream { store_dir: "${store}"${sync === 'always' ? ', sync_interval: always' : ''} }`,
      ...(count === 1
        ? []
        : [
            `cluster { name: c, listen: "${address}:${route}", routes: [${routes.join(', ')}], ${ROUTES} }`,
          ]),
      ...lines,
    ];
    writeFileSync(join(folder, 'nats.conf'), `${file.join('\n')}\n`);
    return { name, place, port, monitorPort, folder, store, process: undefined };
  });
  const at = (number: number) => {
    const server = servers[number];
    if (server === undefined) throw new RangeError(`There is no server ${number}`);
    return server;
  };
  const end = (number: number, signal: NodeJS.Signals) => endServer(at(number), signal);
  const signalAll = (signal: NodeJS.Signals) => {
    for (const server of servers) server.process?.kill(signal);
  };
  const endAll = () => Promise.all(servers.map((server) => endServer(server, 'SIGKILL')));

  await Promise.all(servers.map(startServer));
  return {
    urls: servers.map(({ place, port }) => `nats://${place.address}:${port}`),
    names: servers.map(({ name }) => name),
    start: (number) => startServer(at(number)),
    end,
    signal: (number, signal) => void at(number).process?.kill(signal),
    pid: (number) => at(number).process?.pid ?? 0,
    monitor: (number) => `http://${at(number).place.address}:${at(number).monitorPort}`,
    logged: (number) => readFileSync(join(at(number).folder, 'log'), 'utf8').slice(-4_000_000),
    keep() {
      signalAll('SIGSTOP');
      for (const { store } of servers) cpSync(store, `${store}.kept`, { recursive: true });
      signalAll('SIGCONT');
    },
    async restore() {
      await endAll();
      for (const { store } of servers) {
        rmSync(store, { recursive: true });
        renameSync(`${store}.kept`, store);
      }
      await Promise.all(servers.map(startServer));
    },
    async losePower() {
      const { disks = [] } = options;
      if (disks.length < servers.length) throw new Error('The servers have no disks that fail');
      signalAll('SIGSTOP');
      for (const disk of disks) disk.fail();
      await endAll();
      for (const disk of disks) disk.mend();
      await Promise.all(servers.map(startServer));
    },
    async close() {
      await endAll();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

async function startServer(server: Server): Promise<void> {
  const { place, port, folder, name } = server;
  const log = openSync(join(folder, 'log'), 'a');
  const [program = '', ...words] = [
    ...place.prefix,
    'nats-server',
    '-c',
    join(folder, 'nats.conf'),
  ];
  const child = spawn(program, words, { stdio: ['ignore', log, log] });
  server.process = child;
  child.on('error', () => {});
  const until = Date.now() + UP_MS;
  while (!(await listens(place, port))) {
    if (child.exitCode !== null || Date.now() > until) {
      throw new Error(
        `NATS ${name} does not listen: ${readFileSync(join(folder, 'log'), 'utf8').slice(-2_000)}`,
      );
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const listens = ({ address }: Place, port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = net.connect(port, address, () => {
      probe.destroy();
      resolve(true);
    });
    probe.setTimeout(500, () => {
      probe.destroy();
      resolve(false);
    });
    probe.on('error', () => resolve(false));
  });

function endServer(server: Server, signal: NodeJS.Signals): Promise<void> {
  const child = server.process;
  server.process = undefined;
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) {
    return Promise.resolve();
  }
  return new Promise((resolve) => {
    child.once('exit', () => resolve());
    child.kill(signal);
    // One that sleeps hears of other signals than SIGKILL when it wakes.
    child.kill('SIGCONT');
  });
}
