import { rmSync } from 'node:fs';
import net from 'node:net';
import { expect, onTestFinished, vi } from 'vitest';
import type { Address } from '../../../bench/load/stream.ts';
import { freePort } from '../../../bench/servers/free-port.ts';
import { controlSocketPath } from '../../../src/admin/data-directory.ts';
import { type Client, openClient } from '../client.ts';
import { launch } from '../processes/start-process.ts';
import { makeScratch } from '../scratch.ts';
import type { Person } from '../users.ts';
import type { Host } from './network.ts';

/** A node of a cluster as a process of its own. */
export interface NodeProcess extends Client {
  readonly name: string;
  readonly data: string;
  /** The host of a network that it runs on, if it does. */
  readonly host: Host | undefined;
  /** Returns where clients reach it. */
  address(): Address;
  start(): Promise<void>;
  end(signal: NodeJS.Signals): Promise<void>;
  /** Lets it sleep, or wakes it. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void;
  /** Tells whether it was started, and has not ended. */
  isRunning(): boolean;
  /** Returns what it has said of errors since its last start. */
  stderr(): string;
  /** Has the process run a command of an operator. */
  command(command: string, args?: object): Promise<readonly object[]>;
}

export interface NodeProcesses {
  readonly all: readonly NodeProcess[];
  /** Resolves with the node that owns the shard. */
  owner(except?: NodeProcess): Promise<NodeProcess>;
  /** Resolves when all nodes have applied the same records. */
  level(): Promise<void>;
  /** Starts one more node. */
  add(name: string, host?: Host): Promise<NodeProcess>;
  /** Kills a node for good. */
  remove(node: NodeProcess): Promise<void>;
  /** Kills all, and removes what they stored. */
  close(): Promise<void>;
}

interface Shard {
  readonly owner: string | null;
  readonly state: string;
  readonly epoch: number;
  readonly sequence: number;
}

export interface NodeOptions {
  /** The servers of the log. */
  readonly servers: readonly string[];
  readonly names: readonly string[];
  /** The hosts of the nodes, in their order; otherwise all are on this one. */
  readonly hosts?: readonly Host[];
  readonly env?: Readonly<Record<string, string>>;
  /** Returns what one node has in its environment, and the others have not. */
  readonly envOf?: (name: string) => Readonly<Record<string, string>>;
}

/** Starts nodes on a log that runs, with one shard. */
export async function openNodes(options: NodeOptions): Promise<NodeProcesses> {
  const { servers, names, hosts = [] } = options;
  const open = (name: string, host: Host | undefined) =>
    nodeProcess({ servers, name, host, env: { ...options.env, ...options.envOf?.(name) } });
  const all = await Promise.all(names.map((name, number) => open(name, hosts[number])));
  await Promise.all(all.map((node) => node.start()));
  const running = () => all.filter((node) => node.isRunning());
  const states = async () => (await Promise.all(running().map(stateAt))).flat();
  return {
    all,
    owner: (except) =>
      vi.waitFor(
        async () => {
          const owning = (await states()).filter(
            ({ node, shard }) => node !== except && shard.state === 'owning',
          );
          // One that is cut off may not know yet that there is another.
          const [newest] = owning.toSorted((one, other) => other.shard.epoch - one.shard.epoch);
          return newest?.node ?? Promise.reject(new Error('no node owns the shard'));
        },
        { timeout: 40_000, interval: 50 },
      ),
    level: () =>
      vi.waitFor(
        async () => {
          const found = await states();
          expect(found).toHaveLength(running().length);
          expect(new Set(found.map(({ shard }) => shard.sequence)).size).toBe(1);
          const isAtWork = ({ shard }: (typeof found)[number]) =>
            ['following', 'owning'].includes(shard.state);
          expect(found.filter(isAtWork)).toHaveLength(found.length);
        },
        { timeout: 40_000, interval: 50 },
      ),
    async add(name, host) {
      const node = await open(name, host);
      all.push(node);
      await node.start();
      return node;
    },
    async remove(node) {
      await node.end('SIGKILL');
      rmSync(node.data, { recursive: true, force: true });
      all.splice(all.indexOf(node), 1);
    },
    async close() {
      await Promise.all(all.map((node) => node.end('SIGKILL')));
      for (const { data } of all) rmSync(data, { recursive: true, force: true });
    },
  };
}

/** The same, ended with the test. */
export async function startNodes(
  servers: readonly string[],
  names: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<NodeProcesses> {
  const nodes = await openNodes({ servers, names, env });
  onTestFinished(() => nodes.close());
  return nodes;
}

/** Returns the state of the shard at a node, or nothing if the node does not answer. */
async function stateAt(node: NodeProcess) {
  try {
    const [said] = (await node.command('status')) as { shards: Shard[] }[];
    return [{ node, shard: said?.shards[0] ?? expect.fail() }];
  } catch {
    return [];
  }
}

interface OneNode {
  readonly servers: readonly string[];
  readonly name: string;
  readonly host: Host | undefined;
  readonly env: Readonly<Record<string, string>>;
}

async function nodeProcess({ servers, name, host, env }: OneNode): Promise<NodeProcess> {
  const data = makeScratch();
  const address = host?.address ?? '127.0.0.1';
  const among = await freePort();
  let running: ReturnType<typeof launch> | null = null;
  let port = await freePort();
  const isRunning = () =>
    running !== null && running.process.exitCode === null && running.process.signalCode === null;
  return {
    ...openClient(() => port, 'test.localhost', address),
    name,
    data,
    host,
    address: () => ({ host: address, port }),
    async start() {
      const variables = {
        CONFAB_DATA: data,
        CONFAB_HOST: address,
        CONFAB_PORT: String(port),
        CONFAB_CLUSTER: servers.join(),
        CONFAB_CLUSTER_ADDRESS: `${address}:${among}`,
        CONFAB_CLUSTER_SHARDS: '1',
        // Each node holds everything.
        CONFAB_COPIES: '100',
        CONFAB_CLUSTER_UNSAFE: '1',
        CONFAB_DEMO: '0',
        CONFAB_NODE: name,
        CONFAB_PREVIEWS: '0',
        ...env,
      };
      running = launch(variables, host?.prefix);
      port = await running.port;
    },
    async end(signal) {
      if (!isRunning()) return;
      running?.process.kill('SIGCONT');
      running?.process.kill(signal);
      await running?.exit;
    },
    signal: (signal) => void running?.process.kill(signal),
    isRunning,
    stderr: () => running?.stderr() ?? '',
    command: (command, args = {}) => control(data, { command, args }),
  };
}

/** A process that sleeps takes a connection, and answers nothing. */
const ANSWER_MS = 3_000;

/** Speaks to the control socket, as the command line does. */
export function control(data: string, request: object): Promise<readonly object[]> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(controlSocketPath(data));
    let text = '';
    socket.setTimeout(ANSWER_MS, () => socket.destroy(new Error('the process does not answer')));
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    socket.on('error', reject);
    socket.on('end', () => {
      const reply = JSON.parse(text) as { lines?: object[]; refusal?: string };
      if (reply.lines === undefined) reject(new Error(reply.refusal));
      else resolve(reply.lines);
    });
    socket.write(`${JSON.stringify(request)}\n`);
  });
}

/** The channel of the realm. */
export const CHANNEL = 'load';

/** Makes a realm with members of a channel, and waits until all nodes have it. */
export async function makeSmallRealm(nodes: NodeProcesses) {
  const owner = await nodes.owner();
  await owner.command('realm create', { name: 'test' });
  const person = async (name: string): Promise<Person> => {
    const [line] = await owner.command('user create', {
      realm: 'test',
      email: `${name}@example.com`,
      name,
      role: 'administrator',
    });
    const { user_id, email, api_key } = line as { user_id: number; email: string; api_key: string };
    return { id: user_id, email, fullName: name, apiKey: api_key };
  };
  const people = {
    mel: await person('mel'),
    max: await person('max'),
    ada: await person('ada'),
    mia: await person('mia'),
  };
  const made = await owner.post(people.mel, '/users/me/subscriptions', {
    subscriptions: [{ name: CHANNEL }],
    principals: Object.values(people).map(({ id }) => id),
  });
  expect(made.body).toMatchObject({ result: 'success' });
  await nodes.level();
  return people;
}
