import { useEffect } from 'preact/hooks';
import { lazy } from '../parts/lazy.tsx';
import { light } from '../parts/loading/light.tsx';
import { conversations } from '../store/conversations.ts';
import type { FeedStore } from '../store/feed/feed-store.ts';
import type { Message } from '../store/feed/message.ts';
import { channelOf } from '../store/model.ts';
import { hrefOf, navigate, replace, route } from '../store/navigation.ts';
import { say, sayFault } from '../store/notices.ts';
import { openPanel } from '../store/panels.ts';
import { keyOf, type Narrow, narrowRoute, placeOf, topicNarrow } from '../store/route.ts';
import { LightCompose } from './compose/light-compose.tsx';
import { Feed } from './feed/feed.tsx';
import { loadWriting } from './later.ts';

const Writing = light(async () => (await loadWriting()).Writing, {
  form: LightCompose,
  selector: '.compose',
});

const ArchiveNotice = lazy(
  async () => (await import('./compose/archive-notice.tsx')).ArchiveNotice,
);

const UnknownChannel = lazy(
  async () => (await import('./channels/unknown-channel.tsx')).UnknownChannel,
);

const tools = {
  hrefOf,
  navigate,
  say: (text: string, isFault = false) => say(text, { isFault }),
  showPerson: (userId: number) => openPanel({ about: 'person', userId }),
  showGroup: (groupId: number) => openPanel({ about: 'group', groupId }),
  reply: (message: Message, text?: string) =>
    void loadWriting()
      .then(({ writing }) => writing.value?.reply(message, text))
      .catch(sayFault),
  showPicture: (messageId: number, href: string) =>
    openPanel({ about: 'picture', picture: { messageId, href } }),
};

/** The messages of a narrow, and what is written to it. */
export function NarrowView() {
  const { value } = route;
  const open = conversations.value;
  if (value.view !== 'narrow' || open === null) return null;
  const { feed } = open;
  const place = placeOf(value.narrow);
  const channelId = place === null || place.kind === 'dm' ? null : place.channelId;
  const channel = channelId === null ? undefined : channelOf(channelId);
  if (channelId !== null && channel === undefined) return <UnknownChannel />;
  const topic = topicOfLink(value.narrow, feed);
  return (
    <>
      {topic === null ? null : <InPlaceOfLink topic={topic} near={value.near} />}
      <Feed store={feed} narrow={value.narrow} near={value.near} tools={tools} />
      {channel?.isArchived === true ? (
        <ArchiveNotice channelId={channel.id} />
      ) : (
        <Writing narrow={value.narrow} />
      )}
    </>
  );
}

/**
 * Links name a message beside its topic (`with`), and the server answers with the topic where the
 * message is now. Returns the narrow of that topic once it is known.
 */
function topicOfLink(narrow: Narrow, { current }: FeedStore): Narrow | null {
  if (!narrow.some(({ operator }) => operator === 'with')) return null;
  const feed = current.value;
  if (feed === null || feed.key !== keyOf(narrow)) return null;
  const [message] = feed.messages.value;
  if (message?.stream_id === undefined) return null;
  return topicNarrow(message.stream_id, message.subject);
}

interface InPlaceOfLinkProps {
  readonly topic: Narrow;
  readonly near: number | null;
}

/** Shows a topic in the place of the link that led to it. */
function InPlaceOfLink({ topic, near }: InPlaceOfLinkProps) {
  useEffect(() => replace(narrowRoute(topic, near)));
  return null;
}
