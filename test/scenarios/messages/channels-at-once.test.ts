import { unpack } from 'msgpackr';
import { expect, test } from 'vitest';
import { consumed } from '../../support/actors/consumers.ts';
import { atOnce } from '../../support/acts/at-once.ts';
import type { TestQueue, WireEvent } from '../../support/client.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';

const MESSAGES_ONLY = { event_types: ['message'], fetch_event_types: [] };

/** These messages are sent in one commit, by turns in channels that not everybody is in. */
const SAID = [
  { to: 'general', mentions: [] },
  { to: 'closed', mentions: ['max'] },
  { to: 'general', mentions: ['ada', 'max'] },
  { to: 'closed', mentions: [] },
] as const;

async function withTwoChannels(): Promise<TestServer> {
  const server = await startServer({ channels: ['general', 'closed'] });
  const { ada, mia } = server.people;
  await server.delete(ada, '/users/me/subscriptions', {
    subscriptions: ['closed'],
    principals: [mia.id],
  });
  return server;
}

/** Everything that a socket on the queue is given, frame by frame. */
async function listening(server: TestServer, queue: TestQueue, protocol: string) {
  const socket = await server.socket(queue.as, {
    query: `?queue_id=${queue.id}&last_event_id=${queue.lastEventId}`,
    protocols: [protocol],
  });
  const events: WireEvent[] = [];
  const isHeard = new Promise<void>((resolve) => {
    socket.ws.on('message', (data: Buffer, isBinary: boolean) => {
      const frame = isBinary ? unpack(data) : JSON.parse(data.toString());
      if (frame.type !== 'events') return;
      events.push(...frame.events);
      if (events.length >= SAID.length) resolve();
    });
  });
  return { events, isHeard };
}

test.each(['chat.v1.json', 'chat.v1.msgpack'])(
  '5: what one commit brings to several channels of a socket comes in the order of the log, each event as its owner has it: %s',
  async (protocol) => {
    const server = await withTwoChannels();
    const { mel, max, ada } = server.people;
    const queues = await Promise.all(
      [mel, max, ada].map((as) => server.register(as, MESSAGES_ONLY)),
    );
    const others = await Promise.all(
      [mel, max, ada].map((as) =>
        server.register(as, { ...MESSAGES_ONLY, apply_markdown: true, client_gravatar: false }),
      ),
    );
    const polls = await Promise.all(
      others.map((queue) => server.register(queue.as, MESSAGES_ONLY)),
    );
    const heard = await Promise.all(
      [...queues, ...others].map((queue) => listening(server, queue, protocol)),
    );
    const answers = polls.map((queue) => queue.poll());
    await parked(server, polls);

    const { post } = atOnce(server);
    const [own] = queues;
    await Promise.all(
      SAID.map(({ to, mentions }, index) =>
        post(mel, '/messages', {
          to,
          content: `for ${mentions.map((name) => `@**|${server.people[name].id}**`).join(' ')}`,
          type: 'channel',
          topic: 'lunch',
          queue_id: own?.id,
          local_id: `own ${index}`,
        }),
      ),
    );

    await Promise.all(heard.map(({ isHeard }) => isHeard));
    for (const [index, { events }] of heard.entries()) {
      const queue = [...queues, ...others][index] ?? expect.fail();
      // A queue of the same format, at which nobody waited, reads them from the log.
      const fromLog = (await queue.poll({ last_event_id: queue.lastEventId, dont_block: true }))
        .body;
      expect(events).toEqual(fromLog.events);
      const ids = events.map(({ id }) => id);
      expect(ids).toEqual(ids.toSorted((one, other) => one - other));
      expect(events.map((event) => event['local_message_id'])).toEqual(
        SAID.map((_, said) => (queue === own ? `own ${said}` : undefined)),
      );
      expect(events.map(({ flags }) => flags)).toEqual(
        SAID.map(({ mentions }) =>
          mentions.some((name) => server.people[name] === queue.as) ? ['mentioned'] : [],
        ),
      );
    }
    for (const [index, answer] of (await Promise.all(answers)).entries()) {
      expect(answer.body.events.map(({ id }: WireEvent) => id)).toEqual(
        heard[index]?.events.map(({ id }) => id),
      );
    }
  },
);

/** Waits until all of these queues are parked. */
async function parked(server: TestServer, queues: readonly TestQueue[]) {
  for (const queue of queues) await consumed(server, queue);
}
