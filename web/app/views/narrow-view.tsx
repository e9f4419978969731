import { feedStore, openMessages } from '../store/account/messages.ts';
import { openWaiting } from '../store/account/waiting.ts';
import { hrefOf, navigate, route } from '../store/navigation.ts';
import { say } from '../store/notices.ts';
import { dmNarrow, narrowRoute } from '../store/route.ts';
import type { FeedTools } from './feed/context.ts';
import { Feed } from './feed/feed.tsx';

const TOOLS: Partial<FeedTools> = {
  hrefOf,
  navigate,
  say: (text, isFault = false) => say(text, { isFault }),
  showPerson: (userId) => navigate(narrowRoute(dmNarrow([userId]))),
};

/** Lets messages follow the account, from when this part is loaded. */
export function openNarrowView(): void {
  openMessages();
  openWaiting();
}

/** The messages of a narrow, and what is written to it. */
export function NarrowView() {
  const { value } = route;
  if (value.view !== 'narrow') return null;
  return <Feed store={feedStore()} narrow={value.narrow} near={value.near} tools={TOOLS} />;
}
