// A page that shows the feed alone, with as many messages as a test wants. The test bundles it.
import { signal } from '@preact/signals';
import { h, render } from 'preact';
import { FeedStore } from '../../../web/app/store/feed/feed-store.ts';
import { Feed } from '../../../web/app/views/feed/feed.tsx';

const PEOPLE = ['Mel Member', 'Ada Administrator', 'Max Moritz', 'Ona Owner', 'Build Bot'];
const START = 1_766_000_000;

const person = (id) => ({
  id,
  name: PEOPLE[id % PEOPLE.length],
  email: `${id}@example.com`,
  avatarUrl: null,
  isBot: id % PEOPLE.length === 4,
  isActive: true,
  isGuest: false,
});

const channel = (id) => ({
  id,
  name: ['general', 'design', 'operations'][id % 3],
  color: ['#3d52c4', '#16877d', '#c75c00'][id % 3],
});

const directory = {
  ownId: 1,
  person,
  channel,
  people: () => PEOPLE.map((_, id) => person(id)),
  channels: () => [0, 1, 2].map(channel),
  groups: () => [],
  isInGroup: () => false,
  topics: () => ['lunch', 'release'],
  typing: () => [],
  ownEmoji: () => [],
  setting: () => undefined,
};

/** A message as the server lists it; bodies come from its renderer. */
function message(id, bodies) {
  const run = Math.floor(id / 3);
  return {
    id,
    type: 'stream',
    stream_id: Math.floor(run / 5) % 3,
    subject: ['lunch', '✔ release', ''][Math.floor(run / 4) % 3],
    sender_id: run % PEOPLE.length,
    sender_email: '',
    sender_full_name: PEOPLE[run % PEOPLE.length],
    avatar_url: null,
    content: bodies[id % bodies.length],
    display_recipient: 'general',
    is_me_message: false,
    timestamp: START + id * 97,
    reactions:
      id % 11 === 0
        ? [
            { emoji_name: '+1', emoji_code: '1f44d', reaction_type: 'unicode_emoji', user_id: 1 },
            { emoji_name: '+1', emoji_code: '1f44d', reaction_type: 'unicode_emoji', user_id: 2 },
            { emoji_name: 'tada', emoji_code: '1f389', reaction_type: 'unicode_emoji', user_id: 3 },
          ]
        : [],
    flags: id % 29 === 0 ? ['read', 'mentioned'] : id % 37 === 0 ? ['read', 'starred'] : ['read'],
    ...(id % 17 === 0 ? { last_edit_timestamp: START + id * 97 + 60 } : {}),
  };
}

const asked = [];
const calls = {
  call: async (method, path, params) => {
    asked.push({ method, path, params });
    if (path === '/messages/{message_id}') return { raw_content: 'as it was *typed*' };
    return { messages: [], found_oldest: true, found_newest: true, found_anchor: false };
  },
};

/** Opens the feed with messages of these numbers. */
globalThis.openFeed = async ({
  bodies,
  from = 1,
  count,
  narrow = [],
  firstUnreadId = null,
  pending = [],
}) => {
  const store = new FeedStore({
    calls,
    directory,
    outbox: { entries: signal(pending), retry: () => undefined, discard: () => undefined },
  });
  const feed = store.open(narrow, null);
  await Promise.resolve();
  await new Promise((resolve) => setTimeout(resolve, 0));
  const some = (first, length) => Array.from({ length }, (_, at) => message(first + at, bodies));
  feed.messages.value = some(from, count);
  feed.firstUnreadId.value = firstUnreadId;
  globalThis.feed = feed;
  globalThis.store = store;
  globalThis.asked = asked;
  globalThis.some = some;
  const said = [];
  globalThis.said = said;
  const tools = {
    say: (text) => said.push(text),
    reply: (of, text) => said.push(`reply ${of.id} ${text ?? ''}`),
  };
  const root = document.querySelector('main');
  render(null, root);
  render(h(Feed, { store, narrow, tools }), root);
};
