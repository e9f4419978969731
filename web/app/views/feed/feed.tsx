import { useEffect, useLayoutEffect, useMemo, useReducer, useRef } from 'preact/hooks';
import { Icon } from '../../parts/icon.tsx';
import { lazyBeside } from '../../parts/lazy.tsx';
import { noteShown } from '../../parts/loading/first-shown.ts';
import { useCommand } from '../../parts/use-command.ts';
import type { FeedStore } from '../../store/feed/feed-store.ts';
import type { MessageFeed } from '../../store/feed/messages.ts';
import { keyOfMessage, pendingRows, type Row, Rows } from '../../store/feed/rows.ts';
import { keyOf, type Narrow, placeOf } from '../../store/route.ts';
import { day } from '../../store/times.ts';
import { FeedContext, type FeedTools } from './context.ts';
import { FeedView } from './feed-view.ts';
import { MessageRow } from './message.tsx';
import { OtherRow } from './rows.tsx';
import { useReading } from './use-reading.ts';

const LiveRegion = lazyBeside(async () => (await import('./live-region.tsx')).LiveRegion);
const Standing = lazyBeside(async () => (await import('./standing.tsx')).Standing);
const MessageDialogs = lazyBeside(
  async () => (await import('./message-dialogs.tsx')).MessageDialogs,
);

export interface FeedProps {
  readonly store: FeedStore;
  readonly narrow: Narrow;
  /** The message that is shown first; null for the first unread one. */
  readonly near?: number | null;
  readonly tools?: Partial<FeedTools>;
}

const NO_TOOLS = {};

/** Older or newer messages are fetched when so much is left to scroll: some screens. */
const FETCH_AHEAD_PX = 2_000;

const dayOf = (timestamp: number) => day(timestamp * 1_000, Date.now());

/** The messages of a narrow. */
export function Feed({ store, narrow, near = null, tools = NO_TOOLS }: FeedProps) {
  const key = keyOf(narrow);
  const feed = useMemo(() => store.open(narrow, near), [store, key, near]);
  useLayoutEffect(
    () => () => {
      store.reading.leave(key);
      if (store.current.value === feed) store.current.value = null;
    },
    [store, feed],
  );
  // All rows are drawn again for another scope.
  const scope = useMemo(() => ({ store, feed, narrow, ...tools }), [store, feed, tools]);
  return (
    <FeedContext.Provider value={scope}>
      <FeedList key={key} store={store} feed={feed} near={near} />
      <MessageDialogs />
    </FeedContext.Provider>
  );
}

/** A feed without any article is none. */
const FEED = { role: 'feed', 'aria-label': 'Messages' } as const;

interface ListProps {
  readonly store: FeedStore;
  readonly feed: MessageFeed;
  readonly near: number | null;
}

function FeedList({ store, feed, near }: ListProps) {
  const [, render] = useReducer((count: number) => count + 1, 0);
  const view = useMemo(() => new FeedView(() => render(undefined)), []);
  const scroller = useRef<HTMLElement>(null);
  const sizer = useRef<HTMLDivElement>(null);
  const block = useRef<HTMLDivElement>(null);
  const rows = useRows(store, feed);
  const shown = view.take(rows, feed.foundNewest.value);

  useLayoutEffect(() => {
    if (!scroller.current || !sizer.current || !block.current) return;
    return view.attach(scroller.current, sizer.current, block.current);
  }, []);
  usePlace(view, { feed, near, isReady: feed.isReady.value });
  useReading(view, store, feed);
  useLayoutEffect(() => {
    view.settle();
    page(view, feed);
  });
  useKeys(view, store, feed);
  const isShown = feed.isReady.value || feed.fault.value !== null;
  useEffect(() => {
    if (isShown) noteShown();
  }, [isShown]);
  const wish = store.toEnd.value;
  useEffect(() => {
    if (wish > 0 && feed.isReady.peek()) void toEnd(view, feed);
  }, [wish]);

  const isWhole = feed.foundOldest.value && feed.foundNewest.value;
  const count = isWhole ? feed.messages.value.length : -1;
  return (
    <div class="feed-frame">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by keys. */}
      <section class="feed" ref={scroller} tabIndex={0} aria-label="Messages">
        <div class="feed-sizer" ref={sizer}>
          <div
            class="feed-rows"
            ref={block}
            {...(shown.length === 0 ? {} : FEED)}
            aria-busy={feed.loading.value !== 'none'}
            onFocusIn={(event) => noteFocus(event, store)}
          >
            {shown.map((row) =>
              row.kind === 'message' ? (
                <MessageRow key={row.key} row={row} view={view} count={count} />
              ) : (
                <OtherRow key={row.key} row={row} view={view} />
              ),
            )}
          </div>
        </div>
      </section>
      {isShown ? null : <Skeleton />}
      {feed.fault.value !== null || (isShown && rows.length === 0) ? (
        <Standing feed={feed} />
      ) : null}
      <ToEnd view={view} feed={feed} />
      <LiveRegion feed={feed} ownId={store.directory.ownId} />
    </div>
  );
}

/** Returns the rows of a view; those that did not change are the same objects. */
function useRows(store: FeedStore, feed: MessageFeed): readonly Row[] {
  const maker = useMemo(() => new Rows(), [feed]);
  const place = placeOf(feed.narrow);
  const isInterleaved = place === null || place.kind === 'channel';
  const messages = feed.messages.value;
  const firstUnreadId = feed.firstUnreadId.value;
  const made = useMemo(
    () => maker.of(messages, { isInterleaved, firstUnreadId, dayOf }),
    [maker, messages, isInterleaved, firstUnreadId],
  );
  const pending = feed.foundNewest.value ? store.pendingIn(feed) : [];
  const words = pending.map(({ key, state }) => `${key} ${state}`).join();
  return useMemo(() => {
    if (pending.length === 0) return made;
    const isAfterOwn = messages.at(-1)?.sender_id === store.directory.ownId;
    return [...made, ...pendingRows(pending, isAfterOwn)];
  }, [made, words]);
}

interface Opening {
  readonly feed: MessageFeed;
  readonly near: number | null;
  readonly isReady: boolean;
}

/** Scrolls to where a view begins: to a message, to what is unread, or to the end. */
function usePlace(view: FeedView, { feed, near, isReady }: Opening) {
  useLayoutEffect(() => {
    if (!isReady) return;
    const unread = feed.firstUnreadId.value;
    if (near !== null) view.window.scrollTo(keyOfMessage(near), 'center');
    else if (unread !== null) {
      view.window.scrollTo(keyOfMessage(unread), 'start');
      // A little of what was read before tells where one is.
      view.window.scrolledTo(Math.max(0, view.window.scrollTop - CONTEXT_PX));
    } else if (feed.leftAt !== null) view.window.scrollTo(feed.leftAt, 'start');
    view.reveal('', 'nearest');
    return () => {
      const top = view.window.keyAt(view.window.readRows().first);
      feed.leftAt = view.window.isAtEnd ? null : (top ?? null);
    };
  }, [feed, near, isReady]);
}

const CONTEXT_PX = 96;

/** Fetches what is about to be scrolled to. */
function page(view: FeedView, feed: MessageFeed): void {
  if (!feed.isReady.value || feed.fault.value !== null) return;
  const { scrollTop, viewHeight, total } = view.window;
  if (scrollTop < FETCH_AHEAD_PX) void feed.loadOlder();
  if (total - scrollTop - viewHeight < FETCH_AHEAD_PX) void feed.loadNewer();
}

/** Handles the keys that go from message to message, also to those not in the document. */
function useKeys(view: FeedView, store: FeedStore, feed: MessageFeed) {
  const select = (id: number | undefined) => {
    if (id === undefined) return;
    store.selectedId.value = id;
    const key = keyOfMessage(id);
    view.reveal(key);
    requestAnimationFrame(() => focusRow(view, key));
  };
  const step = (by: 1 | -1) => {
    const messages = feed.messages.value;
    const at = messages.findIndex(({ id }) => id === store.selectedId.value);
    if (at >= 0) select(messages[at + by]?.id);
    else select(messageAt(view, by > 0 ? 'first' : 'last'));
  };
  useCommand('message-down', () => step(1));
  useCommand('message-up', () => step(-1));
  useCommand('message-first', () => {
    if (feed.foundOldest.value) select(feed.messages.value[0]?.id);
    else void feed.open('oldest').then(() => select(feed.messages.value[0]?.id));
  });
  useCommand('message-last', () => {
    void toEnd(view, feed).then(() => select(feed.messages.value.at(-1)?.id));
  });
}

/** Returns the first or the last message that is in sight. */
function messageAt(view: FeedView, which: 'first' | 'last'): number | undefined {
  const { first, end } = view.window.readRows();
  const rows = view.rows.slice(first, end).filter((row) => row.kind === 'message');
  return (which === 'first' ? rows[0] : rows.at(-1))?.message.id;
}

function focusRow(view: FeedView, key: string): void {
  view.elementOf(key)?.focus({ preventScroll: true });
}

function noteFocus(event: FocusEvent, store: FeedStore): void {
  const article = (event.target as HTMLElement).closest<HTMLElement>('article[data-id]');
  const id = Number(article?.dataset['id'] ?? Number.NaN);
  if (Number.isInteger(id)) store.selectedId.value = id;
}

async function toEnd(view: FeedView, feed: MessageFeed) {
  if (!feed.foundNewest.value) await feed.open('newest');
  view.toEnd();
}

function ToEnd({ view, feed }: { readonly view: FeedView; readonly feed: MessageFeed }) {
  if (!feed.isReady.value || (view.isAtEnd.value && feed.foundNewest.value)) return null;
  const unread = feed.unreadCount.value;
  return (
    <button type="button" class="to-end" onClick={() => void toEnd(view, feed)}>
      <Icon name="chevron" />
      {unread === 0 ? 'Newest' : `${unread} unread`}
    </button>
  );
}

/** Grey lines where messages will be, which only show if it takes long. */
const Skeleton = () => (
  <div class="skeleton" aria-hidden="true">
    <p />
    <p />
    <p />
    <p />
  </div>
);
