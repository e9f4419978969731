import { useEffect, useLayoutEffect } from 'preact/hooks';
import type { FeedStore } from '../../store/feed/feed-store.ts';
import { isRead } from '../../store/feed/message.ts';
import type { MessageFeed } from '../../store/feed/messages.ts';
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
  if (seen.length > 0 && document.hasFocus() && !document.hidden) {
    store.reading.seen(seen, feed.key);
  }
}
