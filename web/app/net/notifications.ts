import { app } from '../store/app.ts';
import { names } from '../store/model.ts';
import { navigate } from '../store/navigation.ts';
import { type Arrived, noticeOf } from '../store/notifying.ts';
import { settings } from '../store/settings.ts';

export type Permission = 'granted' | 'denied' | 'default';

/** Returns whether the browser lets this page notify; one without notifications does not. */
export const mayNotify = (): Permission =>
  'Notification' in globalThis ? Notification.permission : 'denied';

/** Asks the user, if that is wanted and was not answered before. */
export async function askToNotify(isWanted: boolean): Promise<Permission> {
  if (!isWanted || mayNotify() !== 'default') return mayNotify();
  return await Notification.requestPermission();
}

/** Shows mentions and direct messages while nobody looks at the page. */
export function openNotifications(): void {
  app.onEvents((events) => {
    if (!settings.value.notifications || mayNotify() !== 'granted') return;
    if (document.visibilityState === 'visible' && document.hasFocus()) return;
    for (const event of events) {
      if (event.type === 'message') show(event as unknown as Arrived);
    }
  });
}

function show(event: Arrived): void {
  const notice = noticeOf(event, names);
  if (notice === null) return;
  // A later message of the conversation takes the place of the one before, also from another tab.
  const shown = new Notification(notice.title, { body: notice.text, tag: notice.tag });
  shown.addEventListener('click', () => {
    window.focus();
    navigate(notice.route);
    shown.close();
  });
}
