import type { MessageFeed } from '../../store/feed/messages.ts';
import { placeOf } from '../../store/route.ts';

/** A note where messages could not be loaded, or where there are none. */
export function Standing({ feed }: { readonly feed: MessageFeed }) {
  const fault = feed.fault.value;
  if (fault !== null) {
    return (
      <div class="feed-note" role="status">
        <p>{fault}</p>
        <button type="button" onClick={() => void feed.open(feed.readingId ?? 'first_unread')}>
          Load again
        </button>
      </div>
    );
  }
  const place = placeOf(feed.narrow);
  return (
    <div class="feed-empty">
      <h2>{place === null ? 'Nothing here' : 'No messages yet'}</h2>
      <p>
        {place === null
          ? 'No message matches. Fewer words, or another spelling, may find more.'
          : 'Write the first one below.'}
      </p>
    </div>
  );
}
