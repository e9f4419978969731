import type * as Sockets from '@btc-vision/uwebsockets.js';
import { HEAD_BYTES_MAX } from '../../domain/limits/requests.ts';
import { type Loaded, loadLibrary } from './load.ts';

/**
 * It is well above the accepted length: past its own bound the library answers without a JSON body,
 * below it confab answers.
 */
const LIBRARY_HEAD_BYTES_MAX = 8 * HEAD_BYTES_MAX;

let loaded: Loaded | undefined;

/**
 * Loads the socket library at its first use; all other code gets it from here. Throws `NotNative`.
 */
export const socketLibrary = (): typeof Sockets => loadedLibrary().library;

/** Returns the library with the name of its package and how it was loaded. Throws `NotNative`. */
export function loadedLibrary(): Loaded {
  loaded ??= load();
  return loaded;
}

function load(): Loaded {
  // biome-ignore lint/style/noProcessEnv: the library reads its bound from the environment, once, when it is loaded.
  process.env['UWS_HTTP_MAX_HEADERS_SIZE'] = String(LIBRARY_HEAD_BYTES_MAX);
  // biome-ignore lint/style/noProcessEnv: tests and benchmarks choose a build; it is no setting.
  return loadLibrary(process.env['SOCKET_LIBRARY']);
}

/**
 * Tests for the older build, which closes connections without an answer where newer ones send one.
 */
export const isOlderLibrary = (): boolean => loadedLibrary().way === 'older';

export type {
  HttpRequest,
  HttpResponse,
  TemplatedApp,
  us_listen_socket,
  us_socket_context_t,
  WebSocket,
  WebSocketBehavior,
} from '@btc-vision/uwebsockets.js';
