import { useId, useState } from 'preact/hooks';
import { Dialog } from '../../parts/dialog.tsx';
import { Check, Choice, Form } from '../../parts/form.tsx';
import { moveTopic } from '../../store/channels/topic-acts.ts';
import { channels, topicsOf } from '../../store/model.ts';
import { isShown, replace } from '../../store/navigation.ts';
import type { TopicPlace } from '../../store/panels.ts';
import { narrowOf, narrowRoute, topicNarrow } from '../../store/route.ts';

export interface MoveTopicProps {
  readonly place: TopicPlace;
  readonly onClose: () => void;
}

const TOPIC_LENGTH_MAX = 60;

/** Gives a whole topic another name or another channel, and goes with it. */
export function MoveTopic({ place, onClose }: MoveTopicProps) {
  const id = useId();
  const [channelId, setChannelId] = useState(place.channelId);
  const [topic, setTopic] = useState(place.topic);
  const [tellsNewTopic, setTellsNewTopic] = useState(true);
  const [tellsOldTopic, setTellsOldTopic] = useState(false);
  const isSame = channelId === place.channelId && topic.trim() === place.topic;
  const move = async () => {
    await moveTopic(place, { channelId, topic, tellsNewTopic, tellsOldTopic });
    const wasShown = isShown(narrowRoute(narrowOf(place)));
    onClose();
    if (wasShown) replace(narrowRoute(topicNarrow(channelId, topic.trim())));
  };
  const options = [...channels.value.values()].map(
    ({ id: one, name }) => [String(one), name] as const,
  );
  return (
    <Dialog title="Rename or move the topic" onClose={onClose}>
      <Form submit="Move" isDisabled={isSame} onSubmit={move} onCancel={onClose}>
        <div class="field">
          <label for={id}>Topic</label>
          <input
            id={id}
            type="text"
            list={`${id}-topics`}
            maxLength={TOPIC_LENGTH_MAX}
            value={topic}
            onInput={({ currentTarget }) => setTopic(currentTarget.value)}
          />
          <datalist id={`${id}-topics`}>
            {topicsOf(channelId).map((name) => (
              <option key={name} value={name} />
            ))}
          </datalist>
        </div>
        <Choice
          label="Channel"
          value={String(channelId)}
          options={options}
          onChange={(value) => setChannelId(Number(value))}
        />
        <Check
          label="Say so in the new topic"
          checked={tellsNewTopic}
          onChange={setTellsNewTopic}
        />
        <Check
          label="Say so in the old topic"
          checked={tellsOldTopic}
          onChange={setTellsOldTopic}
        />
      </Form>
    </Dialog>
  );
}
