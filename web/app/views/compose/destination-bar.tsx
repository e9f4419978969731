import { useId, useState } from 'preact/hooks';
import { Avatar } from '../../parts/avatar.tsx';
import { Choices, choiceId, steppedTo } from '../../parts/choices.tsx';
import { Icon } from '../../parts/icon.tsx';
import type { ComposeStore } from '../../store/compose/compose-store.ts';
import {
  type Destination,
  destinationKey,
  destinationOf,
} from '../../store/compose/destination.ts';
import type { Place } from '../../store/route.ts';
import type { Person } from '../../store/shapes.ts';

export interface DestinationBarProps {
  readonly store: ComposeStore;
  readonly place: Place | null;
}

/**
 * Says where the message goes. In a conversation that is shown, the field itself says it; so this
 * is only there if the message goes elsewhere, or if a topic is still to be named.
 */
export function DestinationBar({ store, place }: DestinationBarProps) {
  const to = store.to.value;
  const isHere =
    place !== null &&
    place.kind !== 'channel' &&
    destinationKey(to) === destinationKey(destinationOf(place));
  if (isHere) return null;
  return (
    <div class="destination">
      <WhereField store={store} to={to} />
      {to.type === 'channel' ? (
        <TopicField store={store} to={to} />
      ) : (
        <PeopleField store={store} userIds={to.userIds} />
      )}
      {place === null ? null : (
        <button
          type="button"
          class="icon"
          aria-label="Write to what is shown"
          title="Write to what is shown"
          hidden={destinationKey(to) === destinationKey(destinationOf(place))}
          onClick={() => store.openAt(place)}
        >
          <Icon name="close" />
        </button>
      )}
    </div>
  );
}

interface WhereFieldProps {
  readonly store: ComposeStore;
  readonly to: Destination;
}

/** Offers all channels, of which only the one that is chosen is there until somebody comes near. */
function WhereField({ store, to }: WhereFieldProps) {
  const [isNear, setNear] = useState(false);
  const chosen = to.type === 'channel' ? to.channelId : null;
  const channels = store.directory.channels();
  const offered = isNear ? channels : channels.filter(({ id }) => id === chosen);
  return (
    <select
      aria-label="Where the message goes"
      value={to.type === 'direct' ? 'direct' : String(chosen ?? '')}
      onPointerEnter={() => setNear(true)}
      onFocus={() => setNear(true)}
      onBlur={() => setNear(false)}
      onChange={({ currentTarget: { value } }) => store.setDestination(chosenIn(value, to))}
    >
      <option value="" disabled>
        Choose a channel
      </option>
      <option value="direct">Direct message</option>
      {offered.map(({ id, name }) => (
        <option key={id} value={id}>
          #{name}
        </option>
      ))}
    </select>
  );
}

const chosenIn = (value: string, before: Destination): Destination =>
  value === 'direct'
    ? { type: 'direct', userIds: [] }
    : {
        type: 'channel',
        channelId: Number(value),
        topic: before.type === 'channel' ? before.topic : '',
      };

interface TopicFieldProps {
  readonly store: ComposeStore;
  readonly to: Extract<Destination, { type: 'channel' }>;
}

function TopicField({ store, to }: TopicFieldProps) {
  const list = useId();
  // A channel may have thousands: they are looked at while one writes here, and no sooner.
  const [isWriting, setWriting] = useState(false);
  const topics =
    !isWriting || to.channelId === null
      ? []
      : offeredTopics(store.directory.topics(to.channelId), to.topic);
  return (
    <>
      <span class="arrow" aria-hidden="true">
        ›
      </span>
      <input
        class="topic"
        aria-label="Topic"
        placeholder="Topic"
        maxLength={TOPIC_LENGTH_MAX}
        list={list}
        value={to.topic}
        onFocus={() => setWriting(true)}
        onBlur={() => setWriting(false)}
        onInput={({ currentTarget }) => store.setDestination({ ...to, topic: currentTarget.value })}
      />
      <datalist id={list}>
        {topics.map((topic) => (
          <option key={topic} value={topic} />
        ))}
      </datalist>
    </>
  );
}

/** The browser shows a few of them, and each is an element. */
const OFFERED_MAX = 50;

/** Returns the newest topics that have what is written in their names. */
function offeredTopics(topics: readonly string[], text: string): readonly string[] {
  const wanted = text.trim().toLowerCase();
  const found: string[] = [];
  for (const topic of topics) {
    if (found.length === OFFERED_MAX) break;
    if (topic.toLowerCase().includes(wanted)) found.push(topic);
  }
  return found;
}

/** As the server has it. */
const TOPIC_LENGTH_MAX = 60;
const FOUND_MAX = 6;

interface PeopleFieldProps {
  readonly store: ComposeStore;
  readonly userIds: readonly number[];
}

/** People to write to: those who are chosen, and a field to find more. */
function PeopleField({ store, userIds }: PeopleFieldProps) {
  const id = useId();
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const { directory } = store;
  const found: readonly Person[] =
    text.trim() === ''
      ? []
      : store.completion
          .people(text.trim(), FOUND_MAX + userIds.length)
          .filter((person) => !userIds.includes(person.id))
          .slice(0, FOUND_MAX);
  const set = (ids: readonly number[]) => store.setDestination({ type: 'direct', userIds: ids });
  const take = (person: Person) => {
    setText('');
    setAt(0);
    set([...userIds, person.id]);
  };
  return (
    <div class="people-field">
      {userIds.map((userId) => {
        const name = directory.person(userId)?.name ?? 'somebody';
        return (
          <button
            key={userId}
            type="button"
            class="chip"
            aria-label={`Leave out ${name}`}
            onClick={() => set(userIds.filter((one) => one !== userId))}
          >
            {name}
            <Icon name="close" />
          </button>
        );
      })}
      <input
        role="combobox"
        aria-label="People"
        aria-expanded={found.length > 0}
        aria-controls={found.length > 0 ? id : undefined}
        aria-activedescendant={found.length > 0 ? choiceId(id, at) : undefined}
        placeholder={userIds.length === 0 ? 'Whom do you write to?' : 'and whom else?'}
        value={text}
        onInput={({ currentTarget }) => {
          setText(currentTarget.value);
          setAt(0);
        }}
        onKeyDown={(event) => {
          const next = steppedTo(event.key, at, found.length);
          const person = found[at];
          if (next !== null) setAt(next);
          else if (event.key === 'Enter') {
            if (person !== undefined) take(person);
          } else if (event.key === 'Backspace' && text === '') set(userIds.slice(0, -1));
          else return;
          event.preventDefault();
        }}
      />
      {found.length === 0 ? null : (
        <Choices
          id={id}
          label="People"
          items={found}
          keyOf={(person) => String(person.id)}
          at={at}
          onTake={take}
        >
          {(person) => (
            <>
              <Avatar person={person} size="s" />
              <span class="cut">{person.name}</span>
            </>
          )}
        </Choices>
      )}
    </div>
  );
}
