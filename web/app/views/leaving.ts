import { keepAccount } from '../net/account.ts';
import { loadFollowing } from '../net/connection.ts';
import { ask } from '../net/session.ts';
import { app } from '../store/app.ts';
import { sayFault } from '../store/notices.ts';

/**
 * Logs out; messages that wait stay in the browser for the next time. Goes on to the provider by
 * which the person came, if they log out there as well.
 */
export async function leave(): Promise<void> {
  try {
    // The library ends the queue of events.
    await loadFollowing();
    const { logout_url: url } = await ask('DELETE', '/sessions/current');
    keepAccount(null);
    app.end(null);
    location.hash = '';
    if (typeof url === 'string') location.assign(url);
  } catch (error) {
    sayFault(error);
  }
}
