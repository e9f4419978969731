import type { Writers } from '../../../transaction.ts';

/** Schema 4: the participants of each topic, from the messages and reactions there are. */
export function countParticipants(tables: Writers) {
  const count = (
    [channelId, key, userId]: [number, string, number],
    { sent, reacted }: { sent: number; reacted: number },
  ) => {
    const before = tables.topicParticipants.get([channelId, key, userId]);
    tables.topicParticipants.put([channelId, key, userId], {
      sent: (before?.sent ?? 0) + sent,
      reacted: (before?.reacted ?? 0) + reacted,
    });
  };
  for (const [[channelId], { topicKey, senderId }] of tables.channelMessages.range({})) {
    count([channelId, topicKey, senderId], { sent: 1, reacted: 0 });
  }
  for (const [messageId, , , userId] of tables.reactions.keys({})) {
    const channelId = tables.messages.get([messageId])?.channelId ?? null;
    const place =
      channelId === null ? undefined : tables.channelMessages.get([channelId, messageId]);
    if (channelId === null || place === undefined) continue;
    count([channelId, place.topicKey, userId], { sent: 0, reacted: 1 });
  }
}
