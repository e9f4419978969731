import { useEffect, useLayoutEffect } from 'preact/hooks';
import type { FeedStore } from '../../store/feed/feed-store.ts';
import { isRead } from '../../store/feed/message.ts';
import type { MessageFeed } from '../../store/feed/messages.ts';
import { placeOf } from '../../store/route.ts';
import type { FeedView } from './feed-view.ts';

/** Marks what was in sight as read, while somebody looks at the page. */
export function useReading(view: FeedView, store: FeedStore, feed: MessageFeed): void {
  useLayoutEffect(() => {
    view.onMove = () => look(view, store, feed);
    return () => {
      view.onMove = () => undefined;
    };
  }, [view, feed]);
  useEffect(() => {
    const again = () => look(view, store, feed);
    const leave = () => store.reading.flush();
    addEventListener('focus', again);
    addEventListener('pagehide', leave);
    return () => {
      removeEventListener('focus', again);
      removeEventListener('pagehide', leave);
    };
  }, [view, feed]);
}

function look(view: FeedView, store: FeedStore, feed: MessageFeed): void {
  if (!feed.isReady.value) return;
  const { first, end } = view.window.readRows();
  const seen: number[] = [];
  for (let index = first; index < end; index++) {
    const row = view.rows[index];
    if (row?.kind !== 'message') continue;
    feed.readingId = row.message.id;
    if (!isRead(row.message)) seen.push(row.message.id);
  }
  if (seen.length > 0 && document.hasFocus() && !document.hidden && readsBySight(store, feed)) {
    store.reading.seen(seen, feed.key);
  }
}

/** Tells whether the account counts messages of a view as read that were in sight. */
function readsBySight({ directory }: FeedStore, { narrow }: MessageFeed): boolean {
  const policy = directory.setting('web_mark_read_on_scroll_policy');
  if (policy === NEVER) return false;
  if (policy !== IN_CONVERSATIONS) return true;
  const place = placeOf(narrow);
  return place !== null && place.kind !== 'channel';
}

const IN_CONVERSATIONS = 2;
const NEVER = 3;
