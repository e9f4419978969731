import { useComputed, useSignal } from '@preact/signals';
import { Avatar } from '../parts/avatar.tsx';
import { Icon } from '../parts/icon.tsx';
import { app } from '../store/app.ts';
import { channelOf, people, presenceOf } from '../store/model.ts';
import { hrefOf, route } from '../store/navigation.ts';
import { openPanel } from '../store/panels.ts';
import { dmNarrow, narrowRoute, placeOf } from '../store/route.ts';
import type { Person, Presence } from '../store/shapes.ts';

/** Further people are behind a click. */
const SHOWN = 40;

const ORDER: Readonly<Record<Presence, number>> = { active: 0, idle: 1, offline: 2 };

/** The right column: the channel that is shown, and people by whether they are here. */
export function People() {
  const isAll = useSignal(false);
  const sorted = useComputed(() =>
    [...people.value.values()]
      .filter(({ isActive, isBot }) => isActive && !isBot)
      .map((person) => ({ person, presence: presenceOf(person.id) }))
      .sort(
        (one, other) =>
          ORDER[one.presence] - ORDER[other.presence] ||
          one.person.name.localeCompare(other.person.name),
      ),
  );
  const shown = isAll.value ? sorted.value : sorted.value.slice(0, SHOWN);
  const online = sorted.value.filter(({ presence }) => presence !== 'offline').length;
  return (
    <aside class="right" aria-label="People">
      <AboutChannel />
      <section>
        <h2>
          People <small>{online} here</small>
        </h2>
        <ul class="lines">
          {shown.map(({ person, presence }) => (
            <PersonLine key={person.id} person={person} presence={presence} />
          ))}
        </ul>
        {shown.length < sorted.value.length ? (
          <button
            type="button"
            class="quiet more"
            onClick={() => {
              isAll.value = true;
            }}
          >
            {sorted.value.length - shown.length} more
          </button>
        ) : null}
      </section>
    </aside>
  );
}

interface PersonLineProps {
  readonly person: Person;
  readonly presence: Presence;
}

function PersonLine({ person, presence }: PersonLineProps) {
  const status = app.read('statuses').statuses.get(person.id)?.status_text;
  return (
    <li>
      <div class="line-with">
        <a class="line" href={hrefOf(narrowRoute(dmNarrow([person.id])))}>
          <Avatar person={person} size="s" presence={presence} />
          <span class="cut">{person.name}</span>
          {person.isGuest ? <small>guest</small> : null}
          {status === undefined || status === '' ? null : <small class="cut">{status}</small>}
        </a>
        <button
          type="button"
          class="icon twist"
          aria-label={`Profile of ${person.name}`}
          onClick={() => openPanel({ about: 'person', userId: person.id })}
        >
          <Icon name="dots" />
        </button>
      </div>
    </li>
  );
}

function AboutChannel() {
  const { value } = route;
  const place = value.view === 'narrow' ? placeOf(value.narrow) : null;
  if (place === null || place.kind === 'dm') return null;
  const channel = channelOf(place.channelId);
  if (channel === undefined) return null;
  const count = app.read('channels').channels.get(channel.id)?.subscriber_count ?? 0;
  return (
    <section class="about-channel">
      <h2 class="cut">{channel.name}</h2>
      {channel.description === '' ? null : <p>{channel.description}</p>}
      <p class="muted">
        {channel.isPrivate ? 'Private' : 'Open to all members'} ·{' '}
        {count === 1 ? '1 subscriber' : `${count} subscribers`}
      </p>
    </section>
  );
}
