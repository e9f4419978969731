import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Avatar } from '../../parts/avatar.tsx';
import { memo } from '../../parts/memo.ts';
import type { Row } from '../../store/feed/rows.ts';
import { day, wholeTime } from '../../store/times.ts';
import { useFeed } from './context.ts';
import type { FeedView } from './feed-view.ts';
import { MessageRow } from './message.tsx';

export interface FeedRowProps {
  readonly row: Row;
  readonly view: FeedView;
  /** How many messages there are; negative if that is not known. */
  readonly count: number;
}

/** A row of the feed, whose height is measured. It has no margins, so that heights add up. */
export const FeedRow = memo(function FeedRow({ row, view, count }: FeedRowProps) {
  const own = useRef<HTMLElement>(null);
  useLayoutEffect(() => (own.current === null ? undefined : view.observe(own.current)), []);
  if (row.kind === 'message') return <MessageRow row={row} count={count} own={own} />;
  return (
    <div class="feed-row" ref={own as RefObject<HTMLDivElement>} data-key={row.key}>
      {row.kind === 'date' ? <DateLine timestamp={row.timestamp} /> : <PendingRow row={row} />}
    </div>
  );
});

const DateLine = ({ timestamp }: { readonly timestamp: number }) => (
  <p class="date-line">
    <time dateTime={new Date(timestamp * 1_000).toISOString()} title={wholeTime(timestamp * 1_000)}>
      {day(timestamp * 1_000, Date.now())}
    </time>
  </p>
);

const STATES = { pending: 'Sending', sent: 'Sent', refused: 'Not sent' };

function PendingRow({ row }: { readonly row: Extract<Row, { kind: 'pending' }> }) {
  const { store } = useFeed();
  const { pending, hasHead } = row;
  const me = store.directory.person(store.directory.ownId);
  return (
    <article class={`message pending ${hasHead ? 'lead' : ''} ${pending.state}`}>
      {hasHead && me !== undefined ? (
        <div class="gutter">
          <Avatar person={me} />
        </div>
      ) : null}
      <div class="text">
        {hasHead ? (
          <header>
            <span class="name">{me?.name}</span>
          </header>
        ) : null}
        <div class="body plain">{pending.content}</div>
        <p class="standing" role="status">
          {STATES[pending.state]}
          {pending.refusal === null ? null : `: ${pending.refusal}`}
          {pending.state === 'refused' ? (
            <>
              <button
                type="button"
                class="quiet"
                onClick={() => store.outbox.value.retry(pending.key)}
              >
                Try again
              </button>
              <button
                type="button"
                class="quiet grave"
                onClick={() => store.outbox.value.discard(pending.key)}
              >
                Discard
              </button>
            </>
          ) : null}
        </p>
      </div>
    </article>
  );
}
