import { Avatar } from '../parts/avatar.tsx';
import { ChannelSign } from '../parts/channel-sign.tsx';
import { Icon } from '../parts/icon.tsx';
import { channelOf, names, personOf, presenceOf } from '../store/model.ts';
import { isResolved, topicLabel, type Unread } from '../store/shapes.ts';
import { peopleLabel } from '../store/title.ts';

export interface PlaceLabelProps {
  readonly place: Unread['place'];
  /** True if the channel stands above already. */
  readonly isInChannel?: boolean;
}

/** The name of a conversation: its channel and topic, or its people. */
export function PlaceLabel({ place, isInChannel = false }: PlaceLabelProps) {
  if (place.kind === 'dm') {
    const [only = 0] = place.userIds;
    return (
      <span class="place">
        {place.userIds.length === 1 ? (
          <Avatar person={personOf(only)} size="s" presence={presenceOf(only)} />
        ) : (
          <span class="sign">
            <Icon name="people" />
          </span>
        )}
        <span class="cut">{peopleLabel(place.userIds, names)}</span>
      </span>
    );
  }
  const channel = channelOf(place.channelId);
  return (
    <span class="place">
      {isInChannel || channel === undefined ? null : (
        <>
          <ChannelSign channel={channel} />
          <span class="place-channel cut">{channel.name}</span>
          <span class="place-edge" aria-hidden="true">
            ›
          </span>
        </>
      )}
      {isResolved(place.topic) ? <Icon name="check" /> : null}
      <span class={place.topic === '' ? 'place-topic cut no-topic' : 'place-topic cut'}>
        {topicLabel(place.topic)}
      </span>
    </span>
  );
}
