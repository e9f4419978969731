import { useEffect, useRef, useState } from 'preact/hooks';
import type { MessageFeed } from '../../store/feed/messages.ts';
import { placeOf } from '../../store/route.ts';

/** New messages are told together: a reader of screens would talk on and on. */
const GATHER_MS = 4_000;

/** Tells readers of screens of new messages in the conversation that is shown. */
export function LiveRegion({
  feed,
  ownId,
}: {
  readonly feed: MessageFeed;
  readonly ownId: number;
}) {
  const [text, setText] = useState('');
  const lastId = useRef<number | null>(null);
  const count = useRef(0);
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);
  const place = placeOf(feed.narrow);
  const isConversation = place !== null && place.kind !== 'channel';
  const messages = feed.messages.value;
  useEffect(() => {
    const last = messages.at(-1);
    if (!isConversation || !feed.foundNewest.value || last === undefined) return;
    const before = lastId.current;
    lastId.current = last.id;
    if (before === null || last.id <= before) return;
    count.current += messages.filter(
      ({ id, sender_id }) => id > before && sender_id !== ownId,
    ).length;
    if (count.current === 0 || timer.current !== null) return;
    timer.current = setTimeout(() => {
      timer.current = null;
      setText(count.current === 1 ? '1 new message' : `${count.current} new messages`);
      count.current = 0;
    }, GATHER_MS);
  }, [messages]);
  useEffect(
    () => () => {
      if (timer.current !== null) clearTimeout(timer.current);
    },
    [],
  );
  return (
    <p class="unseen" role="status" aria-live="polite">
      {text}
    </p>
  );
}
