import type * as Sockets from 'uWebSockets.js';
import { createRequire } from 'node:module';

/**
 * The socket library, loaded here and nowhere else. `UWS_HTTP_MAX_HEADERS_SIZE` must be set before it loads
 * (`bin/confab.mjs` does), and only the native build will do: the pure JavaScript one is an order of magnitude slower.
 */
const library = createRequire(import.meta.url)('uWebSockets.js') as typeof Sockets;

export class NotNative extends Error {}

/** Refuses the fallback, which the package chooses with no more than a warning. */
export function requireNative() {
  const isNative = /\[native code\]/.test(Function.prototype.toString.call(library.App));
  if (!isNative) throw new NotNative('the native build of uWebSockets.js did not load');
}

export const { App, SSLApp, getParts, us_listen_socket_close, us_socket_local_port, DISABLED } =
  library;
export type {
  HttpRequest,
  HttpResponse,
  TemplatedApp,
  us_listen_socket,
  us_socket_context_t,
  WebSocket,
} from 'uWebSockets.js';
