import { loadFollowing } from '../net/connection.ts';
import { logOut } from '../net/session.ts';
import { app } from '../store/app.ts';
import { sayFault } from '../store/notices.ts';

/** Logs out; messages that wait stay in the browser for the next time. */
export async function leave(): Promise<void> {
  try {
    // The library ends the queue of events.
    await loadFollowing();
    await logOut();
    app.end(null);
    location.hash = '';
  } catch (error) {
    sayFault(error);
  }
}
