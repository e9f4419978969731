import type { RealmActors, ActorsView as Seen } from '../../../src/console/wire.ts';
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
              {queues.map(({ id, user, state, consumer, client }) => (
                <li key={id}>
                  <Node
                    name={user}
                    state={state}
                    more={[consumer ?? 'between two polls', client ?? 'client not known'].join(
                      ', ',
                    )}
                  />
                </li>
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
