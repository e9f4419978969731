import { sendPart } from '../net/uploads.ts';
import { conversations, openConversations } from '../store/conversations.ts';
import { openTypingExpiry } from '../store/feed/typing-expiry.ts';
import { hrefOf, navigate, route } from '../store/navigation.ts';
import { say } from '../store/notices.ts';
import { openPanel } from '../store/panels.ts';
import { Compose } from './compose/compose.tsx';
import { Feed } from './feed/feed.tsx';

const tools = {
  hrefOf,
  navigate,
  say: (text: string, isFault = false) => say(text, { isFault }),
  showPerson: (userId: number) => openPanel({ about: 'person', userId }),
};

/** Lets messages follow the account, from when this part is loaded. */
export function openNarrowView(): void {
  openConversations(sendPart);
  openTypingExpiry();
}

/** The messages of a narrow, and what is written to it. */
export function NarrowView() {
  const { value } = route;
  const open = conversations.value;
  if (value.view !== 'narrow' || open === null) return null;
  const { feed, compose } = open;
  return (
    <>
      <Feed
        store={feed}
        narrow={value.narrow}
        near={value.near}
        tools={{ ...tools, reply: (message, text) => compose.reply(message, text) }}
      />
      <Compose store={compose} feed={feed} narrow={value.narrow} say={tools.say} />
    </>
  );
}
