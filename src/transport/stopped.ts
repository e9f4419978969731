import { SMALL_BODY_BYTES_MAX } from '../domain/limits/requests.ts';
import { serverStopping } from '../domain/wire/errors.ts';
import { NO_SESSIONS } from '../endpoints/sessions/cookies.ts';
import { openTracing } from '../endpoints/tracing.ts';
import type { HttpInput } from './requests/http-input.ts';
import type { SocketsInput } from './websocket.ts';

/**
 * Returns what a server that has stopped is mounted with: it refuses every request as a closed
 * realm does. The library keeps the handlers of an app for as long as the process runs, and they
 * would keep the realms, with their stores and caches.
 */
export const stopped = ({
  standing,
  proxies,
  record,
  socketRecord,
}: Pick<HttpInput & SocketsInput, 'standing' | 'proxies' | 'record' | 'socketRecord'>): HttpInput &
  SocketsInput => ({
  standing,
  proxies,
  record,
  socketRecord,
  tracing: openTracing(null),
  pollEndpoint: 0,
  isReady: () => false,
  dispatch: refuse,
  holdsSecret: () => true,
  limitRequest: null,
  limitPoll: null,
  sessions: NO_SESSIONS,
  pages: refuse,
  web: null,
  content: refuse,
  files: refuse,
  uploads: refuse,
  quickPoll: () => undefined,
  isStreamed: () => false,
  bodyLimit: () => SMALL_BODY_BYTES_MAX,
  deployment: { at: refuse, claimName: refuse, demoPeople: refuse },
  onBug: () => '',
});

function refuse(): never {
  throw serverStopping();
}
