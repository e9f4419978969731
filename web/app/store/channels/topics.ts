import { app } from '../app.ts';
import { sayFault } from '../notices.ts';

const underWay = new Map<number, Promise<void>>();

/**
 * Asks for the topics of a channel. In one that the user is subscribed to, events keep the list
 * true afterwards. Resolves when the list is there, or could not be had.
 */
export async function loadTopics(channelId: number): Promise<void> {
  if (app.read().topics.isComplete(channelId)) return;
  const asked = underWay.get(channelId) ?? askForTopics(channelId);
  underWay.set(channelId, asked);
  await asked;
}

async function askForTopics(channelId: number): Promise<void> {
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
