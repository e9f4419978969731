import { type ChildProcess, fork, spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { openHttp } from '../load/http.ts';
import type { Address } from '../load/stream.ts';
import { belonging, temporaryDirectory } from './belongings.ts';
import { demoOwner } from './demo.ts';
import { freePort } from './free-port.ts';
import { anonymousBytes, cpuSeconds } from './process-usage.ts';

/** A server that is measured: one that was started for it, or one elsewhere. */
export interface Server {
  readonly name: string;
  readonly address: Address;
  /** Undefined of one elsewhere. */
  readonly pid: number | undefined;
  /** The addresses of its inspectors, if it was started with some: one for each process. */
  readonly inspectorUrls?: readonly string[];
  readonly stop: (signal?: 'SIGTERM' | 'SIGKILL') => Promise<void>;
}

export interface RunningServer extends Server {
  readonly pid: number;
  /** Settles when the process has ended, for any reason. */
  readonly ended: Promise<void>;
}

// A machine with other work takes ten times as long as a quiet one.
const START_MS_MAX = 60_000;
const STOP_MS_MAX = 10_000;
const OUTPUT_LINES_KEPT = 60;

export const CREDENTIALS_FILE = 'demo-credentials.json';

function serverFile(name: 'main' | 'confab'): string {
  return fileURLToPath(new URL(`../../bundle/${name}.js`, import.meta.url));
}

/**
 * Requests are counted as for any operator, up to what the load is: a few accounts send what a team
 * of thousands would.
 */
const LIMITS = Object.fromEntries(
  ['REQUESTS', 'SENDS', 'SEARCHES', 'UPLOADS', 'MAILS', 'LOGINS', 'ANONYMOUS_REQUESTS'].map(
    (kind) => [`CONFAB_${kind}_PER_MINUTE`, '1000000'],
  ),
);

/** The options of `npm start` (decision 0156). */
export const NODE_OPTIONS = ['--max-semi-space-size=32'];

interface ConfabSetting {
  readonly data: string;
  readonly port?: number;
  readonly hasInspector?: boolean;
  /** The processes that serve clients beside the one that writes; none by default. */
  readonly gateways?: number;
}

export async function startConfab(setting: ConfabSetting): Promise<RunningServer> {
  const port = setting.port ?? (await freePort());
  const inspector = setting.hasInspector ? ['--inspect=127.0.0.1:0'] : [];
  const child = belonging(
    spawn(process.execPath, [...NODE_OPTIONS, ...inspector, serverFile('main')], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        CONFAB_HOST: '127.0.0.1',
        CONFAB_PORT: String(port),
        CONFAB_DATA: setting.data,
        CONFAB_LOG_LEVEL: 'warn',
        CONFAB_OPERATOR: 'off',
        CONFAB_GATEWAYS: String(setting.gateways ?? 0),
        ...LIMITS,
      },
    }),
  );
  const output = keepOutput(child);
  const address = { host: '127.0.0.1', port };
  await ready({ child, data: setting.data, address, output });
  return running('confab', child, address, inspectorUrlsIn(output));
}

export interface BaselineSetting {
  /** The name in figures, where it is not `baseline` or `durable baseline`. */
  readonly name?: string;
  readonly isDurable?: boolean;
  /** The rows that a durable one puts for a message, 2 by default. */
  readonly rows?: number;
  readonly hasInspector?: boolean;
}

/** Starts a baseline of this folder, with data of its own. */
export function startBaseline(
  file: string,
  { name, isDurable = false, rows, hasInspector = false }: BaselineSetting = {},
  parameters: readonly string[] = [],
): Promise<RunningServer> {
  const own = [`--data=${temporaryDirectory().path}`, ...(isDurable ? ['--durable'] : [])];
  if (rows !== undefined) own.push(`--rows=${rows}`);
  return forkServer({
    name: name ?? (isDurable ? 'durable baseline' : 'baseline'),
    file,
    parameters: [...parameters, ...own],
    hasInspector,
  });
}

interface Forked {
  /** The name of the server in figures. */
  readonly name: string;
  /** A file of this folder, without its ending; it sends `{ port }` once it listens. */
  readonly file: string;
  readonly parameters: readonly string[];
  readonly hasInspector?: boolean;
}

/** Starts a server that confab is held against. */
export async function forkServer({
  name,
  file,
  parameters,
  hasInspector = false,
}: Forked): Promise<RunningServer> {
  const child = belonging(
    fork(fileURLToPath(new URL(`./${file}.js`, import.meta.url)), [...parameters], {
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      // One that is killed while it loads the socket library leaves a copy of it there.
      // biome-ignore lint/style/noProcessEnv: it finds its PATH there.
      env: { ...process.env, TMPDIR: temporaryDirectory().path },
      execArgv: hasInspector ? ['--inspect=127.0.0.1:0'] : [],
    }),
  );
  const output = keepOutput(child);
  const port = await new Promise<number>((resolve, reject) => {
    child.once('message', (message: { readonly port: number }) => resolve(message.port));
    child.once('exit', () => reject(new Error(`${name} did not start:\n${output.join('\n')}`)));
  });
  return running(name, child, { host: '127.0.0.1', port }, inspectorUrlsIn(output));
}

type Lines = readonly Readonly<Record<string, unknown>>[];

/** Runs the command line of the server beside it, and answers its lines of JSON. */
export const confabCommand = async (data: string, parameters: readonly string[]): Promise<Lines> =>
  await linesOf(startCommand(data, parameters), parameters);

function startCommand(data: string, parameters: readonly string[]): ChildProcess {
  return belonging(
    spawn(process.execPath, [serverFile('confab'), ...parameters], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { CONFAB_DATA: data, CONFAB_LOG_LEVEL: 'warn' },
    }),
  );
}

async function linesOf(child: ChildProcess, parameters: readonly string[]): Promise<Lines> {
  let out = '';
  let errors = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  const code = await new Promise((resolve) => child.once('close', resolve));
  if (code !== 0) throw new Error(`confab ${parameters.join(' ')}: ${errors || out}`);
  const lines = out.split('\n').filter((line) => line.startsWith('{'));
  return lines.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
}

/** A command that has ended, and what its process used. */
export interface Command {
  readonly lines: Lines;
  readonly seconds: number;
  readonly cpuSeconds: number;
  /** The most that was seen, without files that it has mapped, as stores of realms. */
  readonly peakBytes: number;
}

const LOOKED_AT_EVERY_MS = 50;

/** Does the same, and looks at its process now and then until it ends. */
export async function measuredCommand(
  data: string,
  parameters: readonly string[],
): Promise<Command> {
  const startMs = performance.now();
  const child = startCommand(data, parameters);
  const seen = { cpuSeconds: 0, peakBytes: 0 };
  const look = () => {
    if (child.pid === undefined || child.exitCode !== null) return;
    try {
      Object.assign(seen, {
        cpuSeconds: cpuSeconds(child.pid),
        // Memory is gone before the process is.
        peakBytes: Math.max(seen.peakBytes, anonymousBytes(child.pid) || 0),
      });
    } catch {
      // It has ended since.
    }
  };
  const timer = setInterval(look, LOOKED_AT_EVERY_MS);
  try {
    const lines = await linesOf(child, parameters);
    return { lines, seconds: (performance.now() - startMs) / 1000, ...seen };
  } finally {
    clearInterval(timer);
  }
}

export function running(
  name: RunningServer['name'],
  child: ChildProcess,
  address: Address,
  inspectorUrls: readonly string[],
): RunningServer {
  if (child.pid === undefined) throw new Error(`${name} has no process`);
  return {
    name,
    address,
    pid: child.pid,
    inspectorUrls,
    ended: new Promise((resolve) => child.once('exit', () => resolve())),
    stop: async (signal = 'SIGTERM') => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill(signal);
      const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS_MAX);
      await ended;
      clearTimeout(timer);
    },
  };
}

/** The last lines of both outputs: kept for the message when the start fails. */
export function keepOutput(child: ChildProcess): readonly string[] {
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      lines.push(...text.split('\n').filter((line) => line !== ''));
      lines.splice(0, lines.length - OUTPUT_LINES_KEPT);
    });
  }
  return lines;
}

const inspectorUrlsIn = (output: readonly string[]): readonly string[] =>
  output.join('\n').match(/ws:\/\/\S+/g) ?? [];

interface Starting {
  readonly child: ChildProcess;
  readonly data: string;
  readonly address: Address;
  readonly output: readonly string[];
}

/** The line of the banner by which a server says that all of its parts work. */
const READY = /is ready at/;

/** It says so and answers, and the keys of the demo realm can be read, which its start made. */
async function ready({ child, data, address, output }: Starting): Promise<void> {
  const deadlineMs = performance.now() + START_MS_MAX;
  while (performance.now() < deadlineMs) {
    if (child.exitCode !== null || child.signalCode !== null) break;
    const isReady = output.some((line) => READY.test(line)) && hasCredentials(data);
    if (isReady && (await answers(address))) return;
    await delay(20);
  }
  child.kill('SIGKILL');
  throw new Error(`the server did not start:\n${output.join('\n')}`);
}

function hasCredentials(data: string): boolean {
  try {
    demoOwner(join(data, CREDENTIALS_FILE));
    return true;
  } catch {
    // Not there yet, or half written.
    return false;
  }
}

function answers(address: Address): Promise<boolean> {
  const connection = openHttp(address);
  const request = `GET /api/v1/server_settings HTTP/1.1\r\nHost: ${address.host}\r\n\r\n`;
  return new Promise((resolve) => {
    connection.send(request, (reply) => {
      connection.close();
      // Any answer of its own will do; a server that is not ready yet says 503.
      resolve(reply !== undefined && reply.status < 500);
    });
  });
}
