import { Avatar } from '../../parts/avatar.tsx';
import type { Row } from '../../store/feed/rows.ts';
import { day, wholeTime } from '../../store/times.ts';
import { useFeed } from './context.ts';
import type { FeedView } from './feed-view.ts';
import { useMeasured } from './use-measured.ts';

export interface FeedRowProps {
  readonly row: Exclude<Row, { kind: 'message' }>;
  readonly view: FeedView;
}

/** A row that is no message of the server. It has no margins, so that heights add up. */
export function OtherRow({ row, view }: FeedRowProps) {
  const own = useMeasured<HTMLDivElement>(view);
  return (
    <div class="feed-row" ref={own} data-key={row.key}>
      {row.kind === 'date' ? <DateLine timestamp={row.timestamp} /> : <PendingRow row={row} />}
    </div>
  );
}

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
