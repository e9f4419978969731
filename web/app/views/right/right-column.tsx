import { useEffect } from 'preact/hooks';
import { Icon } from '../../parts/icon.tsx';
import { app } from '../../store/app.ts';
import { privacyOf } from '../../store/channels/browse.ts';
import { loadSubscribers } from '../../store/channels/subscribers.ts';
import { channelOf } from '../../store/model.ts';
import { hrefOf } from '../../store/navigation.ts';
import { openPanel } from '../../store/panels.ts';
import { shownChannelId, shownPlace } from '../../store/people/column-of-app.ts';
import { PeopleList } from './people-list.tsx';
import { TopicDetails } from './topic-details.tsx';
import './style.ts';

/** The topic, the channel and the people of the messages that are shown. */
export function RightColumn() {
  const place = shownPlace.value;
  const channelId = shownChannelId.value;
  useEffect(() => {
    if (channelId !== null) void loadSubscribers(channelId);
  }, [channelId]);
  return (
    <>
      {place?.kind === 'topic' ? <TopicDetails place={place} /> : null}
      {place === null || place.kind === 'dm' ? null : <AboutChannel channelId={place.channelId} />}
      <PeopleList />
    </>
  );
}

const PRIVACY_WORDS = {
  'web-public': 'Open to everybody on the web',
  public: 'Open to all members',
  private: 'Private',
  secret: 'Private, without history',
};

function AboutChannel({ channelId }: { readonly channelId: number }) {
  const channel = channelOf(channelId);
  const whole = app.read('channels').channels.get(channelId);
  if (channel === undefined || whole === undefined) return null;
  return (
    <section class="about-channel">
      <div class="right-head">
        <h2 class="cut">{channel.name}</h2>
        {channel.isArchived ? null : (
          <button
            type="button"
            class="icon"
            aria-label={`Settings of ${channel.name}`}
            onClick={() => openPanel({ about: 'channel', channelId })}
          >
            <Icon name="settings" />
          </button>
        )}
      </div>
      {channel.description === '' ? null : <p>{channel.description}</p>}
      <p class="muted">{PRIVACY_WORDS[privacyOf(whole)]}</p>
      <p>
        <a href={hrefOf({ view: 'topics', channelId })}>All topics</a>
      </p>
    </section>
  );
}
