import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { expect, onTestFinished } from 'vitest';
import { freePort } from '../../../bench/servers/free-port.ts';
import { type Client, openClient } from '../client.ts';
import { type KeptFolder, keepFolder } from '../kept-folder.ts';
import { LIMITS_OF_TESTS } from '../limits-of-tests.ts';
import { makeScratch } from '../scratch.ts';
import type { Person } from '../users.ts';
import { builtFile } from './dist.ts';

/** The server as its own process, as an operator runs it: it can be killed. */
export interface ServerProcess extends Client {
  readonly data: string;
  /** The demo users, by the first part of their address. */
  readonly people: Readonly<Record<string, Person>>;
  port(): number;
  pid(): number;
  /** SIGKILL, and start again on the same data and port. */
  kill(): Promise<void>;
  /** SIGTERM, and start again. */
  restart(): Promise<void>;
  start(): Promise<void>;
  /** Sends the signal and waits for the end. */
  end(signal: NodeJS.Signals): Promise<Exit>;
  /** Resolves when the process has ended by itself. */
  ended(): Promise<Exit>;
  stderr(): string;
}

/** Returns somebody of the demo realm; the test fails if there is no such person. */
export const personOf = ({ people }: Pick<ServerProcess, 'people'>, name: string): Person =>
  people[name] ?? expect.fail(`there is no ${name}`);

interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** On a data directory that has the demo realm already, unless `CONFAB_DATA` is given. */
export async function startProcess(
  env: Readonly<Record<string, string>> = {},
): Promise<ServerProcess> {
  const data = env['CONFAB_DATA'] ?? makeScratch();
  if (env['CONFAB_DATA'] === undefined) (await demo()).writeTo(data);
  let child: Running | null = null;
  let port = await freePort();
  const start = async () => {
    child = launch({ CONFAB_DATA: data, CONFAB_PORT: String(port), ...env });
    port = await child.port;
  };
  const running = () => {
    if (child === null) throw new Error('the server was not started');
    return child;
  };
  const end = (signal: NodeJS.Signals) => {
    running().process.kill(signal);
    return running().exit;
  };
  onTestFinished(async () => {
    await end('SIGKILL');
    rmSync(data, { recursive: true, force: true });
  });
  await start();
  return {
    ...openClient(() => port, 'demo.localhost'),
    data,
    people: demoPeople(data),
    port: () => port,
    pid: () => running().process.pid ?? 0,
    start,
    end,
    ended: () => running().exit,
    stderr: () => running().stderr(),
    async kill() {
      await end('SIGKILL');
      await start();
    },
    async restart() {
      await end('SIGTERM');
      await start();
    },
  };
}

let made: Promise<KeptFolder> | undefined;

/**
 * The demo realm is made once in a process that tests: its passwords are hashed at the full cost.
 */
function demo(): Promise<KeptFolder> {
  made ??= makeDemo();
  return made;
}

async function makeDemo(): Promise<KeptFolder> {
  const data = makeScratch();
  try {
    const { port, process, exit } = launch({
      CONFAB_DATA: data,
      CONFAB_PORT: '0',
      CONFAB_DEMO: 'empty',
    });
    await port;
    process.kill('SIGTERM');
    await exit;
    return keepFolder(data);
  } finally {
    rmSync(data, { recursive: true, force: true });
  }
}

interface Running {
  readonly process: ChildProcess;
  readonly port: Promise<number>;
  readonly exit: Promise<Exit>;
  stderr(): string;
}

/** The disk is whatever the machine that tests has. */
const USUAL = {
  CONFAB_LOG_LEVEL: 'warn',
  CONFAB_MIN_FREE_MIB: '0',
  CONFAB_OPERATOR: 'off',
  ...LIMITS_OF_TESTS,
};

/**
 * Runs the built server, on the host that a command leads to if one is given; `port` is the one it
 * says it listens on.
 */
export function launch(
  env: Readonly<Record<string, string>>,
  onHost: readonly string[] = [],
): Running {
  const [program = process.execPath, ...words] = [...onHost, process.execPath];
  return follow(
    spawn(program, [...words, builtFile('main')], {
      // biome-ignore lint/style/noProcessEnv: the server finds its PATH and the like there.
      env: { ...process.env, ...USUAL, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  );
}

/** Reads what a server, or what started it, writes to its two outputs. */
export function follow(child: ChildProcessByStdio<null, Readable, Readable>): Running {
  let stdout = '';
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const exit = new Promise<Exit>((resolve) => {
    child.on('exit', (code, signal) => resolve({ code, signal }));
  });
  const port = new Promise<number>((resolve, reject) => {
    child.stdout.on('data', (chunk: Buffer) => {
      stdout += chunk.toString();
      const found = /ready at \S+:(\d+)\n/.exec(stdout);
      if (found !== null) resolve(Number(found[1]));
    });
    void exit.then(({ code }) => reject(new Error(`the server ended with ${code}: ${stderr}`)));
  });
  port.catch(() => undefined); // whoever waits for the end instead sees it there
  return { process: child, port, exit, stderr: () => stderr };
}

export function demoPeople(data: string): Record<string, Person> {
  const file = JSON.parse(readFileSync(join(data, 'demo-credentials.json'), 'utf8')) as {
    users: { user_id: number; email: string; full_name: string; api_key: string }[];
  };
  return Object.fromEntries(
    file.users.map((user) => [
      user.email.split('@')[0] ?? '',
      { id: user.user_id, email: user.email, fullName: user.full_name, apiKey: user.api_key },
    ]),
  );
}
