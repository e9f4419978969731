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
  // Loading the server takes longer than most commands, so it is loaded where it is needed.
  const { runHere } = await import('./run-here.ts');
  return await runHere(settings, path, request);
}

/** Asks the server of a data directory. Returns undefined if none runs. */
export async function askRunning(path: string, request: ControlRequest) {
  if (!(await isServed(path))) return undefined;
  return linesOf(await askServer(path, request));
}

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

function askServer(path: string, request: ControlRequest): Promise<ControlReply> {
  return new Promise((fulfil, reject) => {
    const socket = net.connect(controlSocketPath(path));
    let text = '';
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => {
      text += chunk;
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
