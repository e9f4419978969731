import { rmSync } from 'node:fs';
import net from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished, vi } from 'vitest';
import { controlSocketPath } from '../../../src/admin/data-directory.ts';
import { type Client, openClient } from '../client.ts';
import { freePort } from '../processes/ports.ts';
import { launch } from '../processes/start-process.ts';
import { makeScratch } from '../scratch.ts';
import type { Person } from '../users.ts';

/** A node of a cluster as a process of its own. */
export interface NodeProcess extends Client {
  readonly name: string;
  readonly data: string;
  start(): Promise<void>;
  end(signal: NodeJS.Signals): Promise<void>;
  /** Has the process run a command of an operator. */
  command(command: string, args?: object): Promise<readonly object[]>;
}

export interface NodeProcesses {
  readonly all: readonly NodeProcess[];
  /** Resolves with the node that owns the shard. */
  owner(except?: NodeProcess): Promise<NodeProcess>;
  /** Resolves when all nodes have applied the same records. */
  level(): Promise<void>;
}

interface Shard {
  readonly owner: string | null;
  readonly state: string;
  readonly sequence: number;
}

/** Starts nodes on a log that runs, with one shard. */
export async function startNodes(
  servers: readonly string[],
  names: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<NodeProcesses> {
  const all = await Promise.all(names.map((name) => nodeProcess(servers, name, env)));
  await Promise.all(all.map((node) => node.start()));
  const shardAt = async (node: NodeProcess) => {
    const [said] = (await node.command('status')) as { shards: Shard[] }[];
    return said?.shards[0] ?? expect.fail();
  };
  const states = async () =>
    (
      await Promise.all(
        all.map((node) =>
          shardAt(node).then(
            (shard) => [{ node, shard }],
            () => [],
          ),
        ),
      )
    ).flat();
  return {
    all,
    owner: (except) =>
      vi.waitFor(
        async () => {
          const found = (await states()).find(
            ({ node, shard }) => node !== except && shard.state === 'owning',
          );
          return found?.node ?? Promise.reject(new Error('no node owns the shard'));
        },
        { timeout: 40_000, interval: 50 },
      ),
    level: () =>
      vi.waitFor(
        async () => {
          const sequences = (await states()).map(({ shard }) => shard.sequence);
          expect(sequences).toHaveLength(all.length);
          expect(new Set(sequences).size).toBe(1);
        },
        { timeout: 20_000, interval: 50 },
      ),
  };
}

async function nodeProcess(
  servers: readonly string[],
  name: string,
  env: Readonly<Record<string, string>>,
): Promise<NodeProcess> {
  const data = makeScratch();
  const among = await freePort();
  let running: ReturnType<typeof launch> | null = null;
  let port = 0;
  const end = async (signal: NodeJS.Signals) => {
    running?.process.kill(signal);
    await running?.exit;
  };
  onTestFinished(async () => {
    await end('SIGKILL');
    rmSync(data, { recursive: true, force: true });
  });
  return {
    ...openClient(() => port, 'test.localhost'),
    name,
    data,
    async start() {
      running = launch({
        CONFAB_DATA: data,
        CONFAB_PORT: String(port),
        CONFAB_CLUSTER: servers.join(),
        CONFAB_CLUSTER_ADDRESS: `127.0.0.1:${among}`,
        CONFAB_CLUSTER_SHARDS: '1',
        // Each node holds everything.
        CONFAB_COPIES: '100',
        CONFAB_CLUSTER_UNSAFE: '1',
        CONFAB_NODE: name,
        CONFAB_PREVIEWS: '0',
        ...env,
      });
      port = await running.port;
    },
    end,
    command: (command, args = {}) => control(data, { command, args }),
  };
}

/** Speaks to the control socket, as the command line does. */
function control(data: string, request: object): Promise<readonly object[]> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(controlSocketPath(data));
    let text = '';
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

/** Makes a realm with two members, and waits until all nodes have it. */
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
  const people = { mel: await person('mel'), max: await person('max') };
  await nodes.level();
  return people;
}

/** The sends of a load: what was acknowledged, by its content. */
export interface Load {
  readonly acknowledged: ReadonlyMap<string, number>;
  stop(): Promise<void>;
}

interface LoadInput {
  readonly nodes: readonly NodeProcess[];
  readonly from: Person;
  readonly to: Person;
  readonly width: number;
}

/** Sends as clients do: each repeats what failed, with its key, wherever it is answered. */
export function startLoad({ nodes, from, to, width }: LoadInput): Load {
  const acknowledged = new Map<string, number>();
  let isOver = false;

  async function send(content: string, first: number) {
    for (let attempt = first; ; attempt++) {
      const node = nodes[attempt % nodes.length] ?? expect.fail();
      const reply = await node
        .request('POST', '/messages', {
          as: from,
          headers: {
            'idempotency-key': content,
            'content-type': 'application/x-www-form-urlencoded',
          },
          body: new URLSearchParams({ type: 'direct', to: `[${to.id}]`, content }).toString(),
        })
        .catch(() => undefined);
      if (reply?.status === 200) {
        acknowledged.set(content, reply.body.id);
        return;
      }
      if (reply !== undefined && reply.status < 500) expect(reply.body).toBeUndefined();
      await pause(50);
    }
  }

  const senders = Array.from({ length: width }, async (_, sender) => {
    for (let count = 0; !isOver; count++) await send(`s${sender} n${count}`, sender + count);
  });
  return {
    acknowledged,
    async stop() {
      isOver = true;
      await Promise.all(senders);
    },
  };
}

/** A client that polls one queue, at one node after the other. */
export interface Poller {
  /** The messages that came, in order: content and id of the message, and id of the event. */
  readonly got: readonly {
    readonly content: string;
    readonly id: number;
    readonly event: number;
  }[];
  /** Answers that no client expects. */
  readonly failures: readonly unknown[];
  /** Resolves when a message has come. */
  until(content: string): Promise<void>;
  stop(): Promise<void>;
}

export async function startPoller(nodes: readonly NodeProcess[], as: Person): Promise<Poller> {
  const queue = await (nodes[0] ?? expect.fail()).register(as, {
    event_types: ['message'],
    apply_markdown: false,
  });
  const got: { content: string; id: number; event: number }[] = [];
  let last = queue.lastEventId;
  const failures: unknown[] = [];
  let isOver = false;

  async function poll() {
    for (let turn = 0; !isOver; turn++) {
      const node = nodes[turn % nodes.length] ?? expect.fail();
      const reply = await node
        .get(as, '/events', { queue_id: queue.id, last_event_id: last, dont_block: turn % 3 === 0 })
        .catch(() => undefined);
      if (reply?.status !== 200) {
        // Nothing but "come again" may be answered.
        if (reply !== undefined && reply.status !== 503) failures.push(reply.body);
        await pause(50);
        continue;
      }
      for (const event of reply.body.events) {
        last = Math.max(last, event.id);
        if (event.type !== 'message') continue;
        got.push({ content: event.message.content, id: event.message.id, event: event.id });
      }
    }
  }

  const polling = poll();
  return {
    got,
    until: (content) =>
      vi.waitFor(() => expect(got.some((one) => one.content === content)).toBe(true), {
        timeout: 30_000,
        interval: 50,
      }),
    failures,
    async stop() {
      isOver = true;
      await polling;
    },
  };
}
