import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { FeedStore } from '../../store/feed/feed-store.ts';
import type { Message } from '../../store/feed/message.ts';
import type { MessageFeed } from '../../store/feed/messages.ts';
import type { Narrow, Route } from '../../store/route.ts';

/** The services of the frame for the feed. */
export interface FeedTools {
  /** Returns the address of a route, with names that people can read. */
  readonly hrefOf: (route: Route) => string;
  readonly navigate: (route: Route) => void;
  /** Shows a fault, or that something is done. */
  readonly say: (text: string, isFault?: boolean) => void;
  /** Opens the field for a reply to a message, perhaps with a text in it. */
  readonly reply: (message: Message, text?: string) => void;
  readonly showPerson: (userId: number) => void;
  readonly showGroup: (groupId: number) => void;
  /** Shows a picture of a message as large as the window. */
  readonly showPicture: (messageId: number, href: string) => void;
}

export interface FeedScope extends Partial<FeedTools> {
  readonly store: FeedStore;
  readonly feed: MessageFeed;
  readonly narrow: Narrow;
}

export const FeedContext = createContext<FeedScope | null>(null);

export function useFeed(): FeedScope {
  const scope = useContext(FeedContext);
  if (scope === null) throw new Error('This is shown outside of a feed');
  return scope;
}

/** Does something to a message, and tells if it is refused. */
export function attempt({ say }: FeedScope, act: Promise<unknown>, done?: string): void {
  act.then(
    () => {
      if (done !== undefined) say?.(done);
    },
    (error: unknown) => say?.(error instanceof Error ? error.message : String(error), true),
  );
}
