import { CHANNEL_ACTIVE_SECONDS } from '../../../../src/domain/limits/channels.ts';
import type { Writers } from '../../../transaction.ts';

/**
 * Schema 13 notes until when each channel is recently active. Clients take all channels for active,
 * so channels whose time is over already are announced as quiet once the realm is open, as any
 * other that becomes quiet.
 */
export function timeActivity(tables: Writers) {
  for (const [[channelId], channel] of [...tables.channels.range({})]) {
    const activeUntil = lastSign(tables, channelId, channel.dateCreated) + CHANNEL_ACTIVE_SECONDS;
    tables.channels.put([channelId], { ...channel, activeUntil });
    tables.activeChannels.put([activeUntil, channelId], {});
  }
}

function lastSign(tables: Writers, channelId: number, dateCreated: number): number {
  for (const [, id] of tables.channelMessages.keysUnder([channelId], {
    isReverse: true,
    limit: 1,
  })) {
    return Math.max(dateCreated, tables.messages.get([id])?.sentAt ?? 0);
  }
  return dateCreated;
}
