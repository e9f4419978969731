import { Dialog } from '../../parts/dialog.tsx';
import { Form } from '../../parts/form.tsx';
import { deleteTopic } from '../../store/channels/topic-acts.ts';
import { channelOf } from '../../store/model.ts';
import { isShown, replace } from '../../store/navigation.ts';
import { say } from '../../store/notices.ts';
import type { TopicPlace } from '../../store/panels.ts';
import { channelNarrow, narrowRoute, topicNarrow } from '../../store/route.ts';
import { topicLabel } from '../../store/shapes.ts';

export interface DeleteTopicProps {
  readonly place: TopicPlace;
  readonly onClose: () => void;
}

/** Asks before all messages of a topic are deleted, for everybody. */
export function DeleteTopic({ place, onClose }: DeleteTopicProps) {
  const { channelId, topic } = place;
  const remove = async () => {
    await deleteTopic(place);
    const wasShown = isShown(narrowRoute(topicNarrow(channelId, topic)));
    onClose();
    say(`“${topicLabel(topic)}” is deleted.`);
    if (wasShown) replace(narrowRoute(channelNarrow(channelId)));
  };
  return (
    <Dialog title="Delete the topic" onClose={onClose}>
      <Form submit="Delete all of its messages" isGrave onSubmit={remove} onCancel={onClose}>
        <p>
          All messages of <b>{topicLabel(topic)}</b> in{' '}
          {channelOf(channelId)?.name ?? 'the channel'} are deleted for everybody. Nobody can bring
          them back.
        </p>
      </Form>
    </Dialog>
  );
}
