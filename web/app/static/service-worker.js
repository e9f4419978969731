// Shows the pushes of the server while no page of it is looked at. It keeps no files and answers no
// requests of pages.

const CONTENT_LENGTH_MAX = 300;

self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));

self.addEventListener('push', (event) => {
  event.waitUntil(inTurn(() => pushed(noticeIn(event.data))));
});

self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(opened(event.notification.data?.hash ?? ''));
});

// The browser has replaced the subscription, which a push service may ask for.
self.addEventListener('pushsubscriptionchange', (event) => {
  event.waitUntil(renewed(event));
});

/** Tells the server of another subscription with the same key, as the person who is logged in. */
async function renewed({ oldSubscription: before, newSubscription: given }) {
  const { pushManager } = self.registration;
  const options = before?.options ?? (await pushManager.getSubscription())?.options;
  const next = given ?? (options && (await pushManager.subscribe(options)));
  if (!next) return;
  const { endpoint, keys } = next.toJSON();
  const body = new URLSearchParams({ endpoint, ...keys });
  await fetch('/api/v1/users/me/web_push', { method: 'POST', body });
}

/** Reads a push, which the server has encrypted for this browser. */
function noticeIn(data) {
  try {
    const notice = data.json();
    return typeof notice === 'object' && notice !== null ? notice : {};
  } catch {
    return {};
  }
}

/**
 * Does one push after the other, and none while an open page shows a message: Chromium forgets a
 * notice that is about to be shown when somebody asks for those that are. A notice that is taken
 * back was shown before.
 */
const inTurn = (work) => self.navigator?.locks?.request('confab.notices', work) ?? work();

async function pushed(notice) {
  if (notice.type === 'remove') {
    await taken(Array.isArray(notice.message_ids) ? notice.message_ids : []);
    return;
  }
  // A page that is looked at tells of it by itself.
  const pages = await self.clients.matchAll({ type: 'window', includeUncontrolled: true });
  if (notice.type !== 'test' && pages.some(({ focused }) => focused)) return;
  const { title, body, tag, hash } = shownOf(notice);
  // A page that is open has shown this message, or a later one of the conversation.
  const before = await self.registration.getNotifications({ tag });
  const { message_id: messageId } = notice;
  if (before.some(({ data }) => data?.messageId >= messageId)) return;
  const data = { hash, messageId };
  await self.registration.showNotification(title, {
    body,
    tag,
    renotify: true,
    data,
    icon: '/icon-192.png',
  });
}

/** Closes the notices of messages that were read elsewhere, or are gone. */
async function taken(ids) {
  const gone = new Set(ids);
  for (const shown of await self.registration.getNotifications()) {
    if (gone.has(shown.data?.messageId)) shown.close();
  }
}

function shownOf(notice) {
  const text = (name) => [...String(notice[name] ?? '')].slice(0, CONTENT_LENGTH_MAX).join('');
  if (notice.type === 'test') {
    return {
      title: text('realm_name'),
      body: 'Notices reach this browser.',
      tag: 'test',
      hash: '',
    };
  }
  const sender = text('sender_full_name') || 'A new message';
  const body = text('content');
  const { message_id: id } = notice;
  if (notice.channel_id !== undefined) {
    return {
      title: `${sender} in ${text('channel_name')} › ${text('topic') || 'general chat'}`,
      body,
      // These tags are those of open pages (`placeKey`).
      tag: `topic ${notice.channel_id} ${text('topic').toLowerCase()}`,
      hash: `#narrow/channel/${notice.channel_id}/near/${id}`,
    };
  }
  const people = Array.isArray(notice.recipient_user_ids) ? notice.recipient_user_ids : [];
  const hash = people.length === 0 ? '' : `#narrow/dm/${people.join(',')}/near/${id}`;
  // Open pages make the same tag.
  const others = people.filter((one) => one !== notice.user_id).sort((a, b) => a - b);
  return { title: sender, body, tag: `dm ${others.join(',')}`, hash };
}

/** Goes to the conversation: in a page that is open, or else in a new one. */
async function opened(hash) {
  const url = new URL(`/${hash}`, self.location.origin).href;
  const all = await self.clients.matchAll({ type: 'window', includeUncontrolled: true });
  // Other pages of the server, as its documents, have no conversations.
  const page = all.find((one) => new URL(one.url).pathname === '/');
  if (page === undefined) {
    await self.clients.openWindow(url);
    return;
  }
  await page.focus();
  // Nothing is loaded for an address that differs by its fragment.
  if (hash !== '') await page.navigate(url).catch(() => self.clients.openWindow(url));
}
