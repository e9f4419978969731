import { readFileSync } from 'node:fs';
import net from 'node:net';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { systemClock } from '../actors/clock.ts';
import { AMPLE } from '../storage/files/space.ts';
import {
  isCheck,
  isCommand,
  isLocal,
  runCheck,
  runCommand,
  runLocal,
  USAGES,
} from './admin/commands.ts';
import type { ControlReply, ControlRequest } from './admin/control.ts';
import { controlSocketPath, isAnswered, takeDataDirectory } from './admin/data-directory.ts';
import { openRealms } from './admin/deployment.ts';
import { makeFilesPrivately } from './admin/private-files.ts';
import { readSettings, type ServerSettings } from './config.ts';

/** A command that the operator mistyped or that was refused; the message is printed in one line. */
class CommandError extends Error {}

/**
 * Runs the command line. If a server runs on the data directory, it executes the command, so that
 * it knows of the change; otherwise the directory is opened here for as long as it takes. Answers
 * are JSON, one object a line.
 */
async function main(words: readonly string[]) {
  const settings = readSettings();
  const request = requestFrom(words);
  const { command, args } = request;
  if (isCheck(command)) return await printChecked(resolve(settings.data), args);
  const lines = isLocal(command)
    ? await runLocal(command, args, settings)
    : await asked(settings, request);
  for (const line of lines) print(line);
}

const print = (line: object) => process.stdout.write(`${JSON.stringify(line)}\n`);

/**
 * Runs the check in this process: a server would stop other work for it, and a server that cannot
 * start could not be asked.
 */
async function printChecked(data: string, args: unknown) {
  const lines = runCheck(data, args);
  for (;;) {
    const { done, value } = await lines.next();
    if (!done) print(value);
    else {
      process.exitCode = value ? 0 : FAILED;
      return;
    }
  }
}

const FAILED = 1;
/** The exit code of a check that could not be made, and so says nothing of the data. */
const NOT_CHECKED = 2;

async function asked(
  settings: ServerSettings,
  request: ControlRequest,
): Promise<readonly object[]> {
  const path = resolve(settings.data);
  const reply = (await isServed(path))
    ? await askServer(path, request)
    : await runHere(settings, path, request);
  if ('refusal' in reply) throw new CommandError(reply.refusal);
  return reply.lines;
}

const OPTIONS = {
  realm: { type: 'string' },
  title: { type: 'string' },
  email: { type: 'string' },
  name: { type: 'string' },
  role: { type: 'string' },
  password: { type: 'string' },
  owner: { type: 'string' },
  type: { type: 'string' },
  'payload-url': { type: 'string' },
  interface: { type: 'string' },
  setting: { type: 'string' },
  to: { type: 'string' },
  value: { type: 'string' },
  file: { type: 'string' },
  from: { type: 'string' },
  in: { type: 'string' },
  kind: { type: 'string' },
  'no-verify': { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

function requestFrom(words: readonly string[]): ControlRequest {
  const { values, positionals } = parsedWords(words);
  const [noun = '', verb = '', name, ...rest] = positionals;
  const command = verb === '' ? noun : `${noun} ${verb}`;
  if (values.help || !isCommand(command)) {
    const usages = USAGES.map((usage) => `  npm run confab -- ${usage}`).join('\n');
    throw new CommandError(`the command is missing or unknown. The commands are:\n${usages}`);
  }
  const stray = command === 'realm create' ? rest[0] : name;
  if (stray !== undefined) throw new CommandError(`'${command}' does not take '${stray}'`);
  const { file, value, help, ...args } = { ...values, ...pathsIn(command, values) };
  return {
    command,
    args: {
      ...args,
      ...(name === undefined ? {} : { name }),
      ...(value === undefined ? {} : { value: jsonIn(value) }),
      ...(file === undefined ? {} : fileOf(command, file)),
    },
  };
}

/** Makes paths absolute, because a server has another working directory. */
const pathsIn = (command: string, values: Readonly<Partial<Record<string, string | boolean>>>) =>
  command.startsWith('backup ')
    ? Object.fromEntries(
        (['from', 'in', 'to'] as const).flatMap((name) =>
          values[name] === undefined ? [] : [[name, placeIn(String(values[name]))]],
        ),
      )
    : {};

const placeIn = (address: string) => (address.startsWith('s3://') ? address : resolve(address));

function parsedWords(words: readonly string[]) {
  try {
    return parseArgs({ args: [...words], options: OPTIONS, allowPositionals: true });
  } catch (error) {
    throw new CommandError((error as Error).message);
  }
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new CommandError(`--value is not JSON: ${text}`);
  }
}

/**
 * Passes an archive by its path, because it is larger than a line can be; the server reads or
 * writes it.
 */
const fileOf = (command: string, file: string) =>
  command === 'users import' ? { users: usersIn(file) } : { file: resolve(file) };

function usersIn(file: string): unknown[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line, index) => {
      try {
        return JSON.parse(line) as unknown;
      } catch {
        throw new CommandError(`${file}: line ${index + 1} is not JSON`);
      }
    });
}

async function isServed(path: string) {
  try {
    return await isAnswered(controlSocketPath(path));
  } catch {
    return false; // the directory does not exist yet
  }
}

function askServer(path: string, request: ControlRequest): Promise<ControlReply> {
  return new Promise((fulfil, reject) => {
    const socket = net.connect(controlSocketPath(path));
    let text = '';
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => {
      text += chunk;
    });
    socket.on('error', reject);
    socket.on('close', () => {
      if (text === '')
        reject(new CommandError('the server closed the connection without an answer'));
      else fulfil(JSON.parse(text) as ControlReply);
    });
    socket.write(`${JSON.stringify(request)}\n`);
  });
}

async function runHere(
  settings: ServerSettings,
  path: string,
  { command, args }: ControlRequest,
): Promise<ControlReply> {
  const directory = await takeDataDirectory(path, (socket) => {
    socket.on('error', () => socket.destroy());
    socket.end(`${JSON.stringify({ refusal: 'another command is at work; try again' })}\n`);
  });
  const fail = (error: unknown) => refuse(error);
  const realms = await openRealms({
    path,
    settings,
    clock: systemClock,
    space: AMPLE,
    onCommitFailed: fail,
    onRealmFailed: fail,
    onBug: fail,
    deliver: null,
  });
  try {
    return { lines: await runCommand(realms, command, args) };
  } finally {
    await realms.stop(() => 0);
    await directory.release();
  }
}

function refuse(error: unknown): never {
  const text = error instanceof Error ? error.message : String(error);
  process.stderr.write(`confab: ${text}\n`);
  process.exit(process.argv[2] === 'check' ? NOT_CHECKED : FAILED);
}

makeFilesPrivately();
// The process ends by itself: an exit at once would cut off what a pipe has not taken yet.
main(process.argv.slice(2)).catch(refuse);
