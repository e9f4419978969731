import { existsSync } from 'node:fs';
import net from 'node:net';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { ControlReply, ControlRequest } from '../admin/control/control.ts';
import { controlSocketPath, isAnswered } from '../admin/data-directory.ts';
import type { ServerSettings } from '../config.ts';
import { CommandError, EXIT } from './exit-codes.ts';

/**
 * Runs a command. If a server runs on the data directory, it executes the command, so that it knows
 * of the change; otherwise the directory is opened here for as long as it takes.
 */
export async function ask(
  settings: ServerSettings,
  request: ControlRequest,
): Promise<readonly object[]> {
  const path = resolve(settings.data);
  if (await isServed(path)) return linesOf(await askServer(path, request));
  if (request.command.startsWith('cluster ')) {
    throw new CommandError(`no server runs on ${path}`, EXIT.unreachable);
  }
  refuseMissingData(path, request.command);
  // Loading the server takes longer than most commands, so it is loaded where it is needed.
  const { runHere } = await import('./run-here.ts');
  return await runHere(settings, path, request);
}

/** Commands that make the first realm of a directory, and the directory itself if it is missing. */
const MAKERS: ReadonlySet<string> = new Set(['init', 'realm create', 'realm import']);

/** Refuses a command where there is no data for it, before anything is made there. */
export function refuseMissingData(path: string, command: string) {
  if (MAKERS.has(command) || existsSync(join(path, 'realms'))) return;
  throw new CommandError(
    `there is no data directory at ${path}; CONFAB_DATA names it`,
    EXIT.notFound,
  );
}

/** A server that is asked many things, over one connection. */
export interface Conversation {
  /** Resolves when it is answered; what is asked meanwhile is answered after it. */
  ask(request: ControlRequest): Promise<readonly object[]>;
  close(): void;
}

/** Opens a conversation with the server of a data directory; undefined if none runs. */
export async function conversationIfServed(path: string): Promise<Conversation | undefined> {
  if (!(await isServed(path))) return undefined;
  const waiting: { fulfil(reply: ControlReply): void; reject(error: unknown): void }[] = [];
  const socket = net.connect(controlSocketPath(path));
  let ended: CommandError | undefined;
  const end = (error: CommandError) => {
    ended ??= error;
    for (const { reject } of waiting.splice(0)) reject(ended);
  };
  const answers = createInterface({ input: socket });
  answers.on('line', (line) => {
    try {
      waiting.shift()?.fulfil(JSON.parse(line) as ControlReply);
    } catch {
      socket.destroy(); // it was cut off
    }
  });
  // An interface hands on the errors of its input.
  answers.on('error', ({ message }: Error) => end(unreachable(message)));
  socket.on('error', ({ message }) => end(unreachable(message)));
  socket.on('close', () => end(unreachable('it closed the connection without an answer')));
  return {
    async ask(request) {
      if (ended !== undefined) throw ended;
      return linesOf(
        await new Promise<ControlReply>((fulfil, reject) => {
          waiting.push({ fulfil, reject });
          socket.write(`${JSON.stringify({ ...request, more: true })}\n`);
        }),
      );
    },
    close: () => socket.destroy(),
  };
}

/**
 * Asks the server of a data directory for its status. Returns undefined if none runs. A server that
 * has stopped working still accepts connections, so it is not waited for without end.
 */
export async function askForStatus(path: string): Promise<object | undefined> {
  if (!(await isServed(path))) return undefined;
  const request = { command: 'status', args: {} };
  const [found] = linesOf(await askServer(path, request, STATUS_MS_MAX));
  return found;
}

/**
 * Asks the server of a data directory for an address of its console. Returns undefined if none
 * runs.
 */
export async function askForConsole(path: string): Promise<object | undefined> {
  if (!(await isServed(path))) return undefined;
  const [found] = linesOf(await askServer(path, { command: 'console', args: {} }));
  return found;
}

/** Health checks of containers give up after 30 s, unless they are told otherwise. */
const STATUS_MS_MAX = 10_000;

function linesOf(reply: ControlReply): readonly object[] {
  if ('lines' in reply) return reply.lines;
  throw new CommandError(reply.refusal, reply.exit_code ?? EXIT.refused);
}

async function isServed(path: string) {
  try {
    return await isAnswered(controlSocketPath(path));
  } catch {
    return false; // the directory does not exist yet
  }
}

function askServer(path: string, request: ControlRequest, msMax = 0): Promise<ControlReply> {
  return new Promise((fulfil, reject) => {
    const socket = net.connect(controlSocketPath(path));
    let text = '';
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => {
      text += chunk;
    });
    socket.setTimeout(msMax, () => {
      reject(unreachable(`it has not answered for ${msMax / 1_000} s`));
      socket.destroy();
    });
    socket.on('error', ({ message }) => reject(unreachable(message)));
    socket.on('close', () => {
      if (text === '') reject(unreachable('it closed the connection without an answer'));
      else fulfil(JSON.parse(text) as ControlReply);
    });
    socket.write(`${JSON.stringify(request)}\n`);
  });
}

const unreachable = (why: string) =>
  new CommandError(`the server cannot be reached: ${why}`, EXIT.unreachable);
