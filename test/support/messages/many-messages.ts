import { expect } from 'vitest';
import * as messages from '../../../src/operations/posting/messages.ts';
import type { TestServer } from '../start-server.ts';
import type { Person } from '../users.ts';

interface Many {
  readonly as: Person;
  readonly count: number;
  readonly topic: string;
  readonly channelId?: number;
  /** Makes the content by the number of the message, from 1. */
  readonly content?: (number: number) => string;
}

/** Sends many messages to a topic in one commit. Gives their ids. */
export const sendMany = (
  server: TestServer,
  { as, count, topic, channelId = 1, content = () => 'hello' }: Many,
): Promise<number[]> =>
  server.perform((tx, site) => {
    const user = tx.users.get([as.id]) ?? expect.fail('the sender is there');
    const caller = { user, site, client: 'test' };
    return Array.from({ length: count }, (_, index) => {
      const channel = tx.channels.get([channelId]) ?? expect.fail('the channel is there');
      const sent = { content: content(index + 1), isReadBySender: true, repeatKeys: [] };
      return messages.send(tx, caller, { destination: { channel, topic }, ...sent }).id;
    });
  });
