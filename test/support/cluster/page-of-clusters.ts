import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { freePort } from '../../../bench/servers/free-port.ts';
import { LIMITS_OF_TESTS } from '../limits-of-tests.ts';
import { builtFile } from '../processes/dist.ts';
import { follow } from '../processes/start-process.ts';
import { temporaryFolder } from '../scratch.ts';

/** Exchanges what is of another machine than this one: addresses, and folders of the root. */
export type Here = readonly (readonly [there: string | RegExp, here: string])[];

/** The blocks of docs/cluster.md, which a test types as they stand. */
export interface Page {
  /** Returns a block, for this machine. */
  block(name: string, here: Here): string;
  /** Returns the names of the blocks that were not asked for; a block without one is ''. */
  unused(): readonly string[];
}

export function openPage(file: string): Page {
  const blocks = Array.from(
    readFileSync(file, 'utf8').matchAll(/^```(?:\S+)?(?: (\S+))?\n(.*?\n)```$/gms),
    ([, name = '', text = '']) => ({ name, text }),
  );
  const used = new Set<string>();
  return {
    block(name, here) {
      const found = blocks.find((block) => block.name === name);
      if (found === undefined) return expect.fail(`${file} has no block '${name}'`);
      used.add(name);
      return here.reduce((text, [there, to]) => text.replaceAll(there, to), found.text);
    },
    unused: () => blocks.flatMap(({ name }) => (used.has(name) ? [] : name)),
  };
}

/** Somebody who types into a shell on one of the machines. */
export interface Typist {
  readonly port: number;
  /** Types a block, and returns what it has printed, one object a line. */
  type(...blocks: readonly string[]): Promise<readonly Record<string, unknown>[]>;
  /** Types a block whose last line runs a server, and waits until it is ready. */
  serve(...blocks: readonly string[]): Promise<void>;
  /** Ends the server as a supervisor would. */
  stop(): Promise<void>;
}

/** `settings` are blocks that are typed before each other one. */
export async function openTypist(settings: () => readonly string[]): Promise<Typist> {
  const bin = temporaryFolder();
  const program = join(bin, 'confab');
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${builtFile('confab')}' "$@"\n`);
  chmodSync(program, 0o755);
  const port = await freePort();
  const env = {
    // biome-ignore lint/style/noProcessEnv: the programs find their PATH and the like there.
    ...process.env,
    // biome-ignore lint/style/noProcessEnv: as above.
    PATH: `${bin}:${process.env['PATH']}`,
    CONFAB_PORT: String(port),
    CONFAB_OPERATOR: 'off',
    CONFAB_MIN_FREE_MIB: '0',
    CONFAB_PREVIEWS: '0',
    CONFAB_LOG_LEVEL: 'warn',
    ...LIMITS_OF_TESTS,
  };
  let running: ReturnType<typeof follow> | undefined;
  const shell = (blocks: readonly string[]) =>
    spawn('bash', ['-euo', 'pipefail', '-c', [...settings(), ...blocks].join('\n')], {
      env,
      // The server is a child of the shell: both are told to end.
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  const end = (signal: NodeJS.Signals) => {
    const { pid } = running?.process ?? {};
    if (pid !== undefined) process.kill(-pid, signal);
  };
  onTestFinished(() => {
    if (running !== undefined) end('SIGKILL');
  });
  return {
    port,
    type: (...blocks) =>
      new Promise((resolve, reject) => {
        const child = shell(blocks);
        let [stdout, stderr] = ['', ''];
        child.stdout.on('data', (chunk: Buffer) => {
          stdout += chunk.toString();
        });
        child.stderr.on('data', (chunk: Buffer) => {
          stderr += chunk.toString();
        });
        child.on('close', (code) => {
          if (code !== 0) return reject(new Error(`${blocks.join('')}: ${code}: ${stderr}`));
          const lines = stdout.split('\n').filter((line) => line !== '');
          resolve(lines.map((line) => JSON.parse(line) as Record<string, unknown>));
        });
      }),
    async serve(...blocks) {
      running = follow(shell(blocks));
      await running.port;
      const isReady = async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).status;
      await expect.poll(isReady, { timeout: 30_000, interval: 50 }).toBe(200);
    },
    async stop() {
      const stopped = running;
      if (stopped === undefined) return;
      const closed = new Promise((resolve) => stopped.process.on('close', resolve));
      end('SIGTERM');
      await closed;
      running = undefined;
    },
  };
}

/** The three machines of NATS, which have addresses of this one and the usual ports. */
export interface NatsMachines {
  /** Exchanges their names for their addresses. */
  readonly here: Here;
  /** Starts all of them with these files of configuration and this command. */
  start(configurations: readonly string[], command: string): Promise<void>;
  /** Kills all of them, and loses their disks. */
  lose(): Promise<void>;
  /** Returns the number of the first record that the log of a shard has. */
  firstOf(shard: number): Promise<number>;
  readonly addresses: readonly string[];
  /** Returns the folder of a machine. */
  folderOf(number: number): string;
}

export async function openNatsMachines(): Promise<NatsMachines> {
  const names = ['a', 'b', 'c'];
  // All of 127.0.0.0/8 is this machine, and another run of this test has another process id.
  const network = `127.${1 + ((process.pid >> 8) & 127)}.${process.pid & 255}`;
  const addresses = names.map((_, number) => `${network}.${number + 1}`);
  let folders = names.map(() => temporaryFolder());
  let children: ReturnType<typeof spawn>[] = [];
  const end = async () => {
    const ended = children.map((child) => new Promise((resolve) => child.once('exit', resolve)));
    for (const child of children) child.kill('SIGKILL');
    await Promise.all(ended);
    children = [];
  };
  onTestFinished(end);
  const pageOf = async (path: string) => {
    const answer = await fetch(`http://${addresses[0]}:8222/${path}`);
    return (await answer.json()) as Record<string, unknown>;
  };
  return {
    addresses,
    here: names.map((name, number) => [`//${name}:`, `//${addresses[number]}:`] as const),
    folderOf: (number) => folders[number] ?? expect.fail(),
    async start(configurations, command) {
      children = configurations.map((text, number) => {
        const folder = folders[number] ?? expect.fail();
        mkdirSync(join(folder, 'nats'), { recursive: true });
        writeFileSync(join(folder, 'nats.conf'), text);
        const [program = '', ...words] = command.trim().replaceAll('/etc/nats', folder).split(' ');
        return spawn(program, words, { stdio: 'ignore' });
      });
      const isUp = () =>
        pageOf('healthz').then(
          ({ status }) => status,
          () => undefined,
        );
      await expect.poll(isUp, { timeout: 30_000, interval: 100 }).toBe('ok');
    },
    async lose() {
      await end();
      folders = names.map(() => temporaryFolder());
    },
    async firstOf(shard) {
      const name = `CONFAB_S${String(shard).padStart(2, '0')}`;
      const { account_details: accounts } = (await pageOf('jsz?streams=true')) as {
        account_details: { stream_detail: { name: string; state: { first_seq: number } }[] }[];
      };
      const stream = accounts.flatMap((one) => one.stream_detail).find((one) => one.name === name);
      return stream?.state.first_seq ?? expect.fail(`there is no ${name}`);
    },
  };
}
