import type { IncomingMessage, ServerResponse } from 'node:http';
import { fileURLToPath } from 'node:url';
import { CONSOLE_BODY_BYTES_MAX } from '../domain/limits/operator.ts';
import * as errors from '../domain/wire/errors.ts';
import { type BuiltPage, readPage } from '../transport/web/built-page.ts';
import { openAnswers } from './answers.ts';
import type { ConsoleInput } from './console-input.ts';
import { openDoor } from './door.ts';
import { isAct, isOfConsole } from './guard.ts';
import { openLive } from './live.ts';
import * as replies from './replies.ts';

/** Answers requests below `/console`. */
export type Console = (req: IncomingMessage, res: ServerResponse) => void;

/** `src/bundle.mjs` puts the files beside the program. */
const FOLDER = fileURLToPath(new URL('./console', import.meta.url));

/** Opens the console; its files are read when somebody first asks for one. */
export function openConsole(input: ConsoleInput): Console {
  let read: BuiltPage | undefined;
  const built = () => {
    read ??= readPage(FOLDER);
    return read;
  };
  const door = openDoor({ ...input, built });
  const answers = openAnswers(input);
  // The recording of actors ends with its last reader.
  const live = openLive({ ...input, onAllGone: answers.stopRecording });

  async function post(req: IncomingMessage, res: ServerResponse, path: string) {
    if (path === '/log-in') {
      if (!isOfConsole(req.headers)) throw errors.foreignOrigin();
      const form = new URLSearchParams(await bodyOf(req));
      return door.logIn(req, res, form.get('token') ?? '');
    }
    const isProgram = door.isProgram(req);
    if (!isProgram && !door.hasSession(req)) throw errors.unauthorized(LOGGED_OUT);
    if (!isProgram && !isAct(req.headers)) throw errors.foreignOrigin();
    if (path === '/log-out') {
      door.logOut(req);
      return replies.answerJson(res, {});
    }
    replies.answerJson(res, await answers.post(path, jsonIn(await bodyOf(req))));
  }

  async function get(req: IncomingMessage, res: ServerResponse, { path, query }: Address) {
    const accepts = String(req.headers['accept-encoding'] ?? '');
    const asset = path.startsWith('/assets/') ? built().at(path.slice(1)) : undefined;
    if (asset !== undefined) return replies.answerAsset(res, asset, accepts);
    const token = query.get('token');
    if (path === '/' && token !== null) return door.redeem(req, res, token);
    const isIn = door.hasSession(req) || door.isProgram(req);
    if (path === '/') {
      return isIn ? replies.answerAsset(res, built().document, accepts) : door.show(res);
    }
    if (!isIn) throw errors.unauthorized(LOGGED_OUT);
    if (!isOfConsole(req.headers)) throw errors.foreignOrigin();
    if (path !== '/live') return replies.answerJson(res, await answers.get(path, query));
    if (!live.serve(res)) replies.answerText(res, 503, 'Too many consoles are open');
  }

  function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const address = addressOf(req);
    if (req.method === 'POST') return post(req, res, address.path);
    if (req.method === 'GET' || req.method === 'HEAD') return get(req, res, address);
    return Promise.reject(new errors.ApiError('METHOD_NOT_ALLOWED', 'Only GET and POST are known'));
  }

  return (req, res) => {
    if (!door.isMeant(req)) return replies.answerText(res, 403, 'This listener has another name');
    answer(req, res).catch((error: unknown) => {
      if (!(error instanceof errors.ApiError)) input.onBug(error);
      if (res.headersSent) res.destroy();
      else replies.answerError(res, error);
    });
  };
}

const LOGGED_OUT = 'Not logged in: `confab console` prints an address that lets a browser in';

interface Address {
  /** The path below `/console`; `/` for that itself. */
  readonly path: string;
  readonly query: URLSearchParams;
}

function addressOf({ url = '' }: IncomingMessage): Address {
  const [path = '', query] = url.split('?', 2);
  return { path: path.slice('/console'.length) || '/', query: new URLSearchParams(query) };
}

async function bodyOf(req: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of req as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > CONSOLE_BODY_BYTES_MAX) throw errors.badRequest('The body is too large');
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString();
}

function jsonIn(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    throw errors.badRequest('The body is not JSON');
  }
}
