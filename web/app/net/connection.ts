import { ApiError, type Chat } from '@confab/client';
import type { Snapshot } from '@confab/client/store';
import { app, type Caller } from '../store/app.ts';
import { sayFault } from '../store/notices.ts';
import { keptAccount } from './account.ts';
import { ask } from './ask.ts';
import { once } from './once.ts';
import { REGISTER } from './register.ts';

/** Loads the library that follows events and sends messages, once. */
export const loadFollowing = once(async () => {
  const { openFollowing } = await import('./following.ts');
  openFollowing();
});

/**
 * Opens the account of the cookie. The first requests are plain ones, since the library for the
 * connection is loaded after the first view; where such a request fails, the library takes over.
 */
export async function openConnection(): Promise<void> {
  app.connected(FIRST);
  const account = keptAccount() ?? 'unknown';
  try {
    const snapshot = await ask('POST', '/register', REGISTER);
    const { queue_id: queueId, last_event_id: lastEventId } = snapshot;
    app.begin(snapshot as unknown as Snapshot);
    app.start.value = {
      resume: { queueId: String(queueId), lastEventId: Number(lastEventId) },
      account,
    };
  } catch (error) {
    if (isFinal(error)) return app.end(error as ApiError);
    app.start.value = { resume: undefined, account };
    loadFollowing().catch(sayFault);
  }
}

/** Another attempt would be refused as well. */
const isFinal = (error: unknown) => error instanceof ApiError && !isBusy(error);

const isBusy = ({ status }: ApiError) => status === 429 || status >= 500;

/** Makes calls until the library is there. */
const FIRST: Caller = {
  call: (async (...request: Parameters<Chat['call']>) => {
    const [method, path, params, options] = request as readonly unknown[] as Request;
    const isPlain = !(params instanceof FormData) && options === undefined;
    try {
      if (isPlain) return await ask(method, path, params);
    } catch (error) {
      // A request that was carried out perhaps is not repeated.
      if (isFinal(error) || (method !== 'GET' && !(error instanceof ApiError))) throw error;
    }
    await loadFollowing();
    if (app.chat === FIRST) throw new Error('There is no connection yet');
    return await app.chat.call(...request);
  }) as Chat['call'],
  retryNow: () => void loadFollowing().catch(sayFault),
};

type Request = [
  method: string,
  path: string,
  params?: Readonly<Record<string, unknown>> | FormData,
  options?: object,
];
