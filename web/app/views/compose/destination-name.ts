import type { Destination } from '../../store/compose/destination.ts';
import type { Directory } from '../../store/feed/directory.ts';
import { topicLabel } from '../../store/shapes.ts';

/** Returns what a conversation is called. */
export function destinationName(to: Destination, directory: Directory): string {
  if (to.type === 'channel') {
    const channel = to.channelId === null ? undefined : directory.channel(to.channelId);
    if (channel === undefined) return '';
    return to.topic === '' ? `#${channel.name}` : `#${channel.name} › ${topicLabel(to.topic)}`;
  }
  const names = to.userIds.map((id) =>
    id === directory.ownId ? 'yourself' : (directory.person(id)?.name ?? 'somebody'),
  );
  return names.join(', ');
}
