import { app } from '../app.ts';
import { sayFault } from '../notices.ts';

const underWay = new Set<number>();

/** Asks for the topics of a channel, once; events keep the list true afterwards. */
export async function loadTopics(channelId: number): Promise<void> {
  if (app.read().topics.isComplete(channelId) || underWay.has(channelId)) return;
  underWay.add(channelId);
  try {
    const { topics } = (await app.chat.call('GET', `/users/me/${channelId}/topics`, {
      allow_empty_topic_name: true,
    })) as { topics: readonly { name: string; max_id: number }[] };
    app.read().topics.learn(channelId, topics);
    app.bump('topics');
  } catch (error) {
    sayFault(error);
  } finally {
    underWay.delete(channelId);
  }
}
