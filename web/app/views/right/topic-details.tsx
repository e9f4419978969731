import { Avatar } from '../../parts/avatar.tsx';
import { attempt, Choice } from '../../parts/form.tsx';
import { Icon } from '../../parts/icon.tsx';
import { setPolicy } from '../../store/channels/topic-acts.ts';
import { conversations } from '../../store/conversations.ts';
import { participantsOf } from '../../store/feed/participants.ts';
import { channelOf, personOf, policyOf } from '../../store/model.ts';
import { openPanel, type TopicPlace } from '../../store/panels.ts';
import { isResolved, type Policy, topicLabel } from '../../store/shapes.ts';
import { POLICY_WORDS } from '../channels/policy-words.ts';

/** More are counted. */
const SHOWN_MAX = 8;

/** Facts of the topic that is shown. */
export function TopicDetails({ place }: { readonly place: TopicPlace }) {
  const { channelId, topic } = place;
  const messages = conversations.value?.feed.current.value?.messages.value ?? [];
  const people = participantsOf(messages);
  return (
    <section class="topic-details">
      <h2 class="cut">{topicLabel(topic)}</h2>
      {isResolved(topic) ? (
        <p class="right-mark">
          <Icon name="check" /> Resolved
        </p>
      ) : null}
      {channelOf(channelId)?.isArchived === true ? (
        <p class="muted">Archived</p>
      ) : (
        <div class="right-choice">
          <Choice
            label="For you"
            value={policyOf(channelId, topic)}
            options={POLICY_WORDS}
            onChange={(policy) => attempt(setPolicy(place, policy as Policy))}
          />
        </div>
      )}
      {people.length === 0 ? null : (
        <>
          <h3>Who writes here</h3>
          <ul class="faces">
            {people.slice(0, SHOWN_MAX).map((userId) => (
              <li key={userId} class="face">
                <Avatar person={personOf(userId)} size="s" />
                <button
                  type="button"
                  aria-label={`Profile of ${personOf(userId).name}`}
                  title={personOf(userId).name}
                  onClick={() => openPanel({ about: 'person', userId })}
                />
              </li>
            ))}
            {people.length > SHOWN_MAX ? (
              <li class="muted">and {people.length - SHOWN_MAX} more</li>
            ) : null}
          </ul>
        </>
      )}
    </section>
  );
}
