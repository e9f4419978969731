import { readerOf } from '../../../bench/web/browser.ts';
import type { Hall as Measured } from '../../../bench/web/hall.ts';
import { sendMany } from '../messages/many-messages.ts';
import { texts } from './bodies.ts';
import { fillHall, openHall } from './hall.ts';

/** Messages of a topic. */
const TOPIC_MESSAGES = 500;
/** A reader who comes back after an hour has so many unread messages, in so many channels. */
const UNREAD = 300;
const UNREAD_CHANNELS = 40;

/** An organization for which the budgets are, in this process, and Mel who reads at a browser. */
export async function openLargeHall({
  messages,
}: {
  readonly messages: number;
}): Promise<Measured> {
  const { server, at } = await openHall();
  const { mel, max } = server.people;
  await fillHall(server, { people: 1_000, channels: 500 });
  const all = texts();
  const topics = new Map<string, number>();
  const ids: number[] = [];
  for (let from = 0; from < messages; from += TOPIC_MESSAGES) {
    const topic = `topic ${from / TOPIC_MESSAGES + 1}`;
    const content = (number: number) => all[(from + number) % all.length] ?? '';
    ids.push(...(await sendMany(server, { as: max, topic, count: TOPIC_MESSAGES, content })));
    topics.set(topic, TOPIC_MESSAGES);
  }
  const read = async () => {
    let isWhole = false;
    while (!isWhole) {
      const { body } = await server.post(mel, '/mark_all_as_read');
      isWhole = body.complete === true;
    }
  };
  await read();
  for (let index = 0; index < UNREAD_CHANNELS; index += 1) {
    const count = Math.ceil(UNREAD / UNREAD_CHANNELS);
    await sendMany(server, { as: max, topic: 'news', count, channelId: 2 + index });
  }
  const { page } = await at('#inbox');
  const newest = [...topics.keys()].at(-1) ?? '';
  let said = 0;
  return {
    reader: await readerOf(page, server.url),
    filled: { channelId: 1, channelName: 'general', topics, ids },
    read,
    async say(count) {
      const content = (number: number) => all[(said + number) % all.length] ?? '';
      const sent = await sendMany(server, { as: max, topic: newest, count, content });
      said += count;
      return sent.at(-1) ?? 0;
    },
  };
}
