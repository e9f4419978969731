import type { BrowserContext, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { Client } from '../client.ts';
import type { Person } from '../users.ts';

/** The counts and names that the left column shows. */
interface Shown {
  readonly views: Readonly<Record<string, number>>;
  readonly channels: Readonly<Record<string, ShownChannel>>;
  /** Names of direct conversations, with their unread messages, the newest first. */
  readonly directs: readonly (readonly [name: string, count: number])[];
}

interface ShownChannel {
  readonly count: number;
  /** The newest first. */
  readonly topics: readonly (readonly [topic: string, count: number])[];
}

/** Reads the left column; a script of the browser, as the policy allows a test none in the page. */
const READ = `(() => {
  const countIn = (line) => Number(line.querySelector('.count')?.firstChild.textContent ?? 0);
  const nameIn = (line) => line.querySelector('span.cut').textContent;
  const [views, ...sections] = document.querySelectorAll('.left-lists > *');
  const linesOf = (part, deeper) => [...part.querySelectorAll(deeper + ' a.line')];
  const directs = sections.pop();
  const channels = sections.flatMap((section) => [...section.querySelectorAll('ul.lines:not(.topics) > li')]);
  return {
    views: Object.fromEntries(linesOf(views, 'li').map((line) => [nameIn(line), countIn(line)])),
    channels: Object.fromEntries(channels.map((item) => {
      const line = item.querySelector('.line-with a.line');
      const topics = linesOf(item, 'ul.topics').map((topic) => [nameIn(topic), countIn(topic)]);
      return [nameIn(line), { count: countIn(line), topics }];
    })),
    directs: linesOf(directs, 'li').map((line) => [nameIn(line), countIn(line)]),
  };
})()`;

/** Opens the topics of all channels. */
const OPEN = `for (const button of document.querySelectorAll('.left .twist[aria-expanded=false]')) button.click()`;

async function shownOn(page: Page): Promise<Shown> {
  await page.evaluate(OPEN);
  return ordered((await page.evaluate(READ)) as Shown);
}

/** Puts channels into one order: where they stand is not compared. */
const ordered = ({ channels, ...rest }: Shown): Shown => ({
  ...rest,
  channels: Object.fromEntries(
    Object.entries(channels).sort(([one], [other]) => (one < other ? -1 : 1)),
  ),
});

interface Registered {
  readonly user_id: number;
  readonly subscriptions: readonly { readonly stream_id: number; readonly name: string }[];
  readonly starred_messages: readonly number[];
  readonly drafts: readonly unknown[];
  readonly recent_private_conversations: readonly { readonly user_ids: readonly number[] }[];
  readonly realm_users: readonly { readonly user_id: number; readonly full_name: string }[];
  readonly unread_msgs: {
    readonly streams: readonly {
      readonly stream_id: number;
      readonly topic: string;
      readonly unread_message_ids: readonly number[];
    }[];
    readonly pms: readonly UnreadDirect[];
    readonly huddles: readonly {
      readonly user_ids_string: string;
      readonly unread_message_ids: readonly number[];
    }[];
    readonly mentions: readonly number[];
  };
}

interface UnreadDirect {
  readonly other_user_id: number;
  readonly unread_message_ids: readonly number[];
}

/** Returns what has to be shown by a register reply and the lists of topics of this moment. */
async function expectedOf(client: Client, as: Person): Promise<Shown> {
  const { state, id } = await client.register(as, {
    client_gravatar: true,
    client_capabilities: { empty_topic_name: true },
  });
  await client.delete(as, '/events', { queue_id: id });
  const known = state as Registered;
  const { streams, pms, huddles, mentions } = known.unread_msgs;
  const channels: Record<string, ShownChannel> = {};
  for (const { stream_id, name } of known.subscriptions) {
    const unread = new Map(
      streams
        .filter((one) => one.stream_id === stream_id)
        .map(({ topic, unread_message_ids }) => [topic, unread_message_ids.length]),
    );
    const { body } = await client.get(as, `/users/me/${stream_id}/topics`, {
      allow_empty_topic_name: true,
    });
    const topics = (body.topics as { name: string }[]).map(
      ({ name: topic }) => [labelOf(topic), unread.get(topic) ?? 0] as const,
    );
    channels[name] = { count: sumOf([...unread.values()]), topics };
  }
  const directs = known.recent_private_conversations.map(({ user_ids: others }) => {
    const counted =
      others.length > 1
        ? huddles.find(({ user_ids_string }) => {
            const all = [...others, known.user_id].sort((one, other) => one - other);
            return user_ids_string === all.join();
          })
        : pms.find((one) => one.other_user_id === (others[0] ?? known.user_id));
    const names = others.map(
      (one) => known.realm_users.find(({ user_id }) => user_id === one)?.full_name,
    );
    return [names.join(', '), counted?.unread_message_ids.length ?? 0] as const;
  });
  return ordered({
    views: {
      Inbox:
        sumOf(Object.values(channels).map(({ count }) => count)) +
        sumOf(directs.map(([, count]) => count)),
      Recent: 0,
      Mentions: mentions.length,
      Starred: known.starred_messages.length,
      Drafts: known.drafts.length,
    },
    channels,
    directs,
  });
}

const sumOf = (counts: readonly number[]) => counts.reduce((sum, count) => sum + count, 0);

const labelOf = (topic: string) => topic.replace(/^✔ /, '') || 'general chat';

interface Checked {
  readonly page: Page;
  readonly context: BrowserContext;
}

/** The left column is compared with a register, and these lists with those of a fresh page. */
const LISTS = ['#inbox', '#recent', '#drafts'];

/** Messages of all channels and people, which are compared with those of the server as well. */
const ALL_MESSAGES = '#feed';

/**
 * The left column says what a register of this moment says, and what a page says that is opened now
 * in the same browser, in each list. All messages are those that the server has. Channels have few
 * topics, and none is muted; there are few messages.
 */
export async function expectAsFresh(
  { page, context }: Checked,
  client: Client,
  as: Person,
  timeout = TIMEOUT_MS,
): Promise<void> {
  // The topic that is shown is listed, whether it has messages or not.
  await page.evaluate("location.hash = '#inbox'");
  await agree(
    () => shownOn(page),
    () => expectedOf(client, as),
    timeout,
  );
  const fresh = await context.newPage();
  try {
    for (const hash of LISTS) {
      await fresh.goto(`${new URL(page.url()).origin}/${hash}`);
      await page.evaluate(`location.hash = '${hash}'`);
      await agree(
        () => textsOn(page),
        () => textsOn(fresh),
        timeout,
      );
    }
    for (const one of [page, fresh]) await one.evaluate(`location.hash = '${ALL_MESSAGES}'`);
    await agree(
      () => messagesOn(page),
      () => messagesOn(fresh),
      timeout,
    );
    await agree(
      async () => (await messagesOn(page))?.map(({ text: _, ...rest }) => rest),
      () => messagesOf(client, as),
      timeout,
    );
  } finally {
    await fresh.close();
  }
}

/** Less than a test has. */
const TIMEOUT_MS = 40_000;

/** Both say the same before long, and something. */
async function agree<Value>(
  one: () => Promise<Value>,
  other: () => Promise<Value>,
  timeout: number,
): Promise<void> {
  const difference = async () => {
    const both = await Promise.all([one(), other()]);
    const [first, second] = both.map((value) => JSON.stringify(value) ?? 'null');
    return first === second && first !== 'null' ? null : both;
  };
  await expect.poll(difference, { timeout }).toBeNull();
}

/** Returns the texts of the lists; null while one of them is empty. */
async function textsOn(page: Page): Promise<readonly string[] | null> {
  await page.evaluate(OPEN);
  const parts = ['.left-lists', 'main .scroll', '.right'];
  const texts = (await page.evaluate(`${JSON.stringify(parts)}.map((part) =>
    document.querySelector(part)?.innerText.replace(/\\s+/g, ' ').trim() ?? '')`)) as string[];
  return texts.includes('') ? null : texts;
}

interface ShownMessage {
  readonly id: number;
  readonly isEdited: boolean;
  readonly isMoved: boolean;
  /** How many have reacted, by the order of the emoji. */
  readonly reactions: readonly number[];
}

/** Reads the messages, from the end on. */
const READ_MESSAGES = `(() => {
  const feed = document.querySelector('.feed');
  if (feed !== null) feed.scrollTop = feed.scrollHeight;
  const marks = (message) => message.querySelector('.marks')?.textContent ?? '';
  return [...document.querySelectorAll('article.feed-message[data-id]')].map((message) => ({
    id: Number(message.dataset.id),
    isEdited: marks(message).includes('edited'),
    isMoved: marks(message).includes('moved'),
    reactions: [...message.querySelectorAll('.reaction .count')].map((count) => Number(count.textContent)),
    text: [message.ariaLabel, message.querySelector('.body').innerText].join(': '),
  }));
})()`;

/** Returns the messages that are shown; null while there are none. */
async function messagesOn(
  page: Page,
): Promise<readonly (ShownMessage & { text: string })[] | null> {
  const messages = (await page.evaluate(READ_MESSAGES)) as (ShownMessage & { text: string })[];
  return messages.length === 0 ? null : messages;
}

interface Stored {
  readonly id: number;
  readonly last_edit_timestamp?: number;
  readonly last_moved_timestamp?: number;
  readonly reactions: readonly { readonly emoji_code: string }[];
}

/** Returns the same of the messages that the server has. */
async function messagesOf(client: Client, as: Person): Promise<readonly ShownMessage[]> {
  const { body } = await client.get(as, '/messages', {
    anchor: 'newest',
    num_before: 100,
    num_after: 0,
  });
  return (body.messages as Stored[]).map((message) => {
    const codes = message.reactions.map(({ emoji_code: code }) => code);
    return {
      id: message.id,
      isEdited: message.last_edit_timestamp !== undefined,
      isMoved: message.last_moved_timestamp !== undefined,
      reactions: [...new Set(codes)].map((code) => codes.filter((one) => one === code).length),
    };
  });
}
