import type * as Sockets from 'uWebSockets.js';
import { createRequire } from 'node:module';
import { HEAD_BYTES_MAX } from '../domain/limits.ts';

/** Well above what is accepted: the library cuts off a head over its bound without a word, below it the client is told. */
const LIBRARY_HEAD_BYTES_MAX = 8 * HEAD_BYTES_MAX;

// biome-ignore lint/style/noProcessEnv: the library reads its bound from the environment, once, when it is loaded.
process.env['UWS_HTTP_MAX_HEADERS_SIZE'] = String(LIBRARY_HEAD_BYTES_MAX);

/**
 * The socket library, loaded here and nowhere else. Only the native build will do: the pure JavaScript one, to which the
 * package falls back, is an order of magnitude slower.
 */
const library = createRequire(import.meta.url)('uWebSockets.js') as typeof Sockets;

export class NotNative extends Error {}

/** Refuses the fallback, which the package chooses with no more than a warning. */
export function requireNative() {
  const isNative = /\[native code\]/.test(Function.prototype.toString.call(library.App));
  if (!isNative) throw new NotNative('the native build of uWebSockets.js did not load');
}

export const { App, SSLApp, us_listen_socket_close, us_socket_local_port, DISABLED } = library;
export type {
  HttpRequest,
  HttpResponse,
  TemplatedApp,
  us_listen_socket,
  us_socket_context_t,
  WebSocket,
} from 'uWebSockets.js';
