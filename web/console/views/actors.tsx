import type { QueueView, RealmActors, ActorsView as Seen } from '../../../src/console/wire.ts';
import { clock, count } from '../format.ts';
import { Loading } from '../parts/table.tsx';
import { post, usePolled } from '../store/ask.ts';
import { told } from '../store/notices.ts';

const POLL_MS = 2_000;

/** The tree of running actors, and what they did lately. */
export function ActorsView() {
  const { asked, refresh } = usePolled<Seen>('actors', POLL_MS);
  if (asked.value === null) return <Loading fault={asked.fault} />;
  const { state, realms, isCut, isRecording, inspected } = asked.value;
  const record = () =>
    void told(
      isRecording ? 'Nothing is recorded any more' : 'What the actors do is recorded now',
      post('recording', { isOn: !isRecording }),
    ).then(refresh);
  return (
    <div class="halves">
      <section>
        <h2>Tree</h2>
        <ul class="tree">
          <li>
            <Node name="server" state={state} />
            <ul>
              {realms.map((realm) => (
                <OfRealm key={realm.id} {...realm} />
              ))}
            </ul>
          </li>
        </ul>
        {isCut ? <p class="faint">There are more realms.</p> : null}
      </section>
      <section>
        <h2>What they do</h2>
        <button type="button" aria-pressed={isRecording} onClick={record}>
          {isRecording ? 'Stop recording' : 'Record'}
        </button>
        <ol class="inspected">
          {inspected.map(({ at, actor, what, detail }, index) => (
            <li key={`${at} ${index}`}>
              <time>{clock(at)}</time> <b>{actor}</b> {what} {detail}
            </li>
          ))}
        </ol>
        {inspected.length === 0 ? (
          <p class="faint">Nothing is recorded until it is asked for, as recording costs time.</p>
        ) : null}
      </section>
    </div>
  );
}

interface NodeProps {
  readonly name: string;
  readonly state: string;
  readonly more?: string;
}

const Node = ({ name, state, more = '' }: NodeProps) => (
  <span class="node">
    <b>{name}</b> <span class="mark">{state}</span> <span class="faint">{more}</span>
  </span>
);

function OfRealm(realm: RealmActors) {
  const { attachedCount, detachedCount, channels, queues, hasMoreChannels } = realm;
  return (
    <li>
      <Node name={`realm ${realm.realm}`} state={realm.state} />
      <ul>
        <li>
          <details open>
            <summary>
              {count(channels.length)}
              {hasMoreChannels ? ' and more' : ''} channels with listeners
            </summary>
            <ul>
              {channels.map(({ id, name, state, listeners }) => (
                <li key={id}>
                  <Node
                    name={`# ${name}`}
                    state={state}
                    more={listeners === 1 ? '1 listener' : `${count(listeners)} listeners`}
                  />
                </li>
              ))}
            </ul>
          </details>
        </li>
        <li>
          <details open>
            <summary>
              {count(attachedCount)} attached queues, {count(detachedCount)} detached
            </summary>
            <ul>
              {alike(queues).map((some) => (
                <Alike key={nameOf(some[0])} queues={some} />
              ))}
            </ul>
            {attachedCount > queues.length ? (
              <p class="faint">The first {queues.length} are shown.</p>
            ) : null}
          </details>
        </li>
      </ul>
    </li>
  );
}

/** Queues are told apart by their client, and by what their actor and their consumer do. */
const nameOf = ({ client, state, consumer }: QueueView) =>
  `${client ?? 'unknown client'} ${state} ${consumer ?? 'between two polls'}`;

type Some = readonly [QueueView, ...QueueView[]];

/** Returns the queues in groups of those that are alike, the largest group first. */
function alike(queues: readonly QueueView[]): readonly Some[] {
  const groups = new Map<string, [QueueView, ...QueueView[]]>();
  for (const queue of queues) {
    const group = groups.get(nameOf(queue));
    if (group === undefined) groups.set(nameOf(queue), [queue]);
    else group.push(queue);
  }
  return [...groups.values()].sort((one, other) => other.length - one.length);
}

function Alike({ queues }: { readonly queues: Some }) {
  const [{ client, state, consumer }] = queues;
  return (
    <li>
      <details>
        <summary>
          <Node
            name={client ?? 'unknown client'}
            state={state}
            more={`${count(queues.length)} ${consumer === null ? 'between two polls' : `by ${consumer}`}`}
          />
        </summary>
        <ul>
          {queues.map(({ id, user }) => (
            <li key={id}>
              {user} <small>{id}</small>
            </li>
          ))}
        </ul>
      </details>
    </li>
  );
}
