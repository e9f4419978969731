import type net from 'node:net';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { ApiError } from '../domain/wire/errors.ts';
import { runCommand } from './commands.ts';
import type { Realms } from './deployment.ts';

/**
 * A request of the command line to a running server: one JSON object a connection, answered by one.
 */
export type ControlRequest = z.output<typeof controlRequest>;

const controlRequest = z.object({ command: z.string(), args: z.unknown() });

export type ControlReply = { readonly lines: readonly object[] } | { readonly refusal: string };

/** Serves one connection to the control socket. */
export function serveControl(
  socket: net.Socket,
  realms: () => Realms | null,
  onBug: (error: unknown) => void,
) {
  socket.on('error', () => socket.destroy());
  const lines = createInterface({ input: socket });
  lines.on('error', () => socket.destroy());
  lines.once('line', (line) => {
    void answer(line, realms(), onBug).then((reply) => socket.end(`${JSON.stringify(reply)}\n`));
  });
}

async function answer(
  line: string,
  realms: Realms | null,
  onBug: (error: unknown) => void,
): Promise<ControlReply> {
  try {
    if (realms === null) return { refusal: 'The server is still starting' };
    const request = requestIn(line);
    if (request === undefined) return { refusal: 'That is no command' };
    const { command, args } = request;
    return { lines: await runCommand(realms, command, args) };
  } catch (error) {
    if (error instanceof ApiError) return { refusal: error.message };
    onBug(error);
    return { refusal: 'Internal error; the log says more' };
  }
}

/** Parses a request. Returns undefined if it is none, such as a line that was cut off. */
function requestIn(line: string): ControlRequest | undefined {
  try {
    return controlRequest.parse(JSON.parse(line));
  } catch {
    return undefined;
  }
}
