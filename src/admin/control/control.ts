import type net from 'node:net';
import { z } from 'zod';
import { EXIT, type ExitCode } from '../../command-line/exit-codes.ts';
import { IMPORT_STEPS_AT_ONCE_MAX } from '../../domain/limits/archives.ts';
import { CONTROL_REQUEST_BYTES_MAX } from '../../domain/limits/operator.ts';
import { ApiError } from '../../domain/wire/errors.ts';
import { openAnswers } from '../commands/answers.ts';
import { type OperatedNode, runOnNode } from '../commands/cluster-commands.ts';
import { isImportStep, isStepOfRows, runImportStep } from '../commands/import-steps.ts';
import { refusalCode } from '../commands/refusals.ts';
import { runCommand } from '../commands.ts';
import type { Realms } from '../deployment.ts';
import { readLines } from './lines.ts';

/**
 * A request of the command line to a running server: one JSON object in a line, answered by one.
 * The connection ends with the answer, unless the request says that others come.
 */
export type ControlRequest = z.output<typeof controlRequest>;

const controlRequest = z.object({
  command: z.string(),
  args: z.unknown(),
  more: z.boolean().optional(),
});

export type ControlReply =
  | { readonly lines: readonly object[] }
  /** Servers of earlier versions give no exit code. */
  | { readonly refusal: string; readonly exit_code?: ExitCode };

/** The server, as the command line asks for it. */
export interface Controlled {
  /** Returns null while the server is still starting. */
  realms(): Realms | null;
  /** Describes the server for `status`, also while it is starting. */
  standing(): object;
  /** Makes an address of the console; null if there is no listener for it. */
  consoleAddress(): { readonly url: string; readonly expiresAt: number } | null;
  /** Returns this process as a node of a cluster; null if it is none, or still starting. */
  node(): OperatedNode | null;
  onBug(error: unknown): void;
}

/**
 * Serves one connection to the control socket. Its requests are answered in order, one at a time;
 * rows of an import are taken while those before them wait for their commit, which they may share.
 */
export function serveControl(socket: net.Socket, controlled: Controlled) {
  socket.on('error', () => socket.destroy());
  const answers = openAnswers({ atOnceMax: IMPORT_STEPS_AT_ONCE_MAX });
  let isLast = false;
  const onLine = (line: string) => {
    if (isLast) return;
    const request = requestIn(line);
    const isOfMany = request?.more === true;
    isLast = !isOfMany;
    answers.add({
      mayOverlap: request !== undefined && isStepOfRows(request.command),
      answer: () => answer(request, controlled),
      tell(reply) {
        const text = `${JSON.stringify(reply)}\n`;
        if (isOfMany) socket.write(text);
        else socket.end(text);
      },
    });
  };
  readLines(socket, {
    bytesMax: CONTROL_REQUEST_BYTES_MAX,
    onTooLong: () => void socket.end(`${JSON.stringify(TOO_LONG)}\n`),
    turns: () => controlled.realms()?.load().background,
    onLine,
  });
}

const TOO_LONG: ControlReply = {
  refusal: `A request has at most ${CONTROL_REQUEST_BYTES_MAX} bytes`,
  exit_code: EXIT.refused,
};

async function answer(
  request: ControlRequest | undefined,
  controlled: Controlled,
): Promise<ControlReply> {
  try {
    if (request?.command === 'status') return { lines: [controlled.standing()] };
    if (request?.command === 'console') return consoleReply(controlled);
    if (request?.command.startsWith('cluster ')) {
      return { lines: await runOnNode(controlled.node(), request) };
    }
    const realms = controlled.realms();
    if (realms === null) {
      return { refusal: 'The server is still starting', exit_code: EXIT.unreachable };
    }
    if (request === undefined) return { refusal: 'That is no command', exit_code: EXIT.usage };
    const { command, args } = request;
    if (isImportStep(command)) return { lines: [await runImportStep(realms, command, args)] };
    return { lines: await runCommand(realms, command, args) };
  } catch (error) {
    if (error instanceof ApiError) {
      return { refusal: error.message, exit_code: refusalCode(error) };
    }
    controlled.onBug(error);
    return { refusal: 'Internal error; the log says more', exit_code: EXIT.no };
  }
}

function consoleReply({ consoleAddress }: Controlled): ControlReply {
  const address = consoleAddress();
  if (address === null) {
    const refusal =
      'This server has no listener for its operator (CONFAB_OPERATOR); its log may say why';
    return { refusal, exit_code: EXIT.unreachable };
  }
  const { url, expiresAt } = address;
  return { lines: [{ url, expires_at: new Date(expiresAt).toISOString() }] };
}

/** Parses a request. Returns undefined if it is none, such as a line that was cut off. */
function requestIn(line: string): ControlRequest | undefined {
  try {
    return controlRequest.parse(JSON.parse(line));
  } catch {
    return undefined;
  }
}
