import net from 'node:net';
import { resolve } from 'node:path';
import type { ControlReply, ControlRequest } from '../admin/control.ts';
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
  // Loading the server takes longer than most commands, so it is loaded where it is needed.
  const { runHere } = await import('./run-here.ts');
  return await runHere(settings, path, request);
}

/** Returns how the server of a data directory is asked; undefined if none runs. */
export async function askIfServed(
  path: string,
): Promise<((request: ControlRequest) => Promise<readonly object[]>) | undefined> {
  if (!(await isServed(path))) return undefined;
  return async (request) => linesOf(await askServer(path, request));
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
