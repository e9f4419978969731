import { waysOf } from '../store/account/ways.ts';
import { app } from '../store/app.ts';
import { names } from '../store/model.ts';
import { hrefOf, navigate } from '../store/navigation.ts';
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

/** Tells of messages while nobody looks at the page, as the settings of the account say. */
export function openNotifications(): void {
  app.onEvents((events) => {
    const gone = events.flatMap(goneIn);
    if (gone.length > 0) void takeBack(gone);
    if (!settings.value.notifications || mayNotify() !== 'granted') return;
    if (document.visibilityState === 'visible' && document.hasFocus()) return;
    let withSound = false;
    for (const event of events) {
      if (event.type !== 'message') continue;
      const arrived = event as unknown as Arrived;
      const ways = waysOf(arrived, app.read());
      if (ways.onDesktop) void show(arrived);
      withSound ||= ways.withSound;
    }
    if (withSound) sound();
  });
}

/** Returns the messages that nobody has to be told of any more. */
function goneIn(event: { readonly type: string }): readonly number[] {
  const { type, op, flag, messages, message_ids: ids } = event as Gone;
  if (type === 'delete_message') return ids ?? [];
  return type === 'update_message_flags' && op === 'add' && flag === 'read' ? (messages ?? []) : [];
}

interface Gone {
  readonly type: string;
  readonly op?: string;
  readonly flag?: string;
  readonly messages?: readonly number[];
  readonly message_ids?: readonly number[];
}

/** Closes notices of messages, whether this page, another one or a push has shown them. */
async function takeBack(ids: readonly number[]): Promise<void> {
  const gone = new Set(ids);
  await inTurn(async () => {
    for (const shown of (await (await registration())?.getNotifications()) ?? []) {
      if (gone.has((shown.data as { messageId?: number } | null)?.messageId ?? 0)) shown.close();
    }
  });
}

/**
 * Asks for notices and shows them one after the other, in all pages and the service worker:
 * Chromium forgets a notice that is about to be shown when somebody asks for those that are, and
 * then nothing closes it, and a click on it does nothing.
 */
const inTurn = (work: () => Promise<void>): Promise<void> =>
  navigator.locks === undefined ? work() : navigator.locks.request('confab.notices', work);

/** Several messages that come together are one sound. */
function sound(): void {
  const name = app.read().facts.user_settings?.notification_sound;
  if (name === undefined || name === 'none') return;
  void import('./sounds.ts').then(
    ({ play }) => play(name),
    () => undefined,
  );
}

/**
 * Shows a message by the service worker, if there is one: it shows pushes of the same message under
 * the same tag, so that one takes the place of the other.
 */
async function show(event: Arrived): Promise<void> {
  const hasText = app.read().facts.user_settings?.pm_content_in_desktop_notifications !== false;
  const notice = noticeOf(event, names, { isWanted: true, hasText });
  if (notice === null) return;
  // A later message of the conversation takes the place of the one before, also from another tab.
  const { title, text: body, tag, route } = notice;
  const worker = await registration();
  if (worker !== undefined) {
    const data = { hash: hrefOf(route), messageId: event.message.id };
    await inTurn(() => worker.showNotification(title, { body, tag, data }));
    return;
  }
  const shown = new Notification(title, { body, tag });
  shown.addEventListener('click', () => {
    window.focus();
    navigate(route);
    shown.close();
  });
}

/** Returns the service worker of pushes; none if they are off, or not possible here. */
async function registration(): Promise<ServiceWorkerRegistration | undefined> {
  if (!('serviceWorker' in navigator)) return undefined;
  const found = await navigator.serviceWorker.getRegistration('/').catch(() => undefined);
  return found?.active === null ? undefined : found;
}
