import { attempt } from '../parts/form.tsx';
import { Icon } from '../parts/icon.tsx';
import { deleteDraft } from '../store/ahead/ahead.ts';
import { app } from '../store/app.ts';
import { nowMs, ownId } from '../store/model.ts';
import { hrefOf } from '../store/navigation.ts';
import { narrowOf, narrowRoute } from '../store/route.ts';
import type { Unread } from '../store/shapes.ts';
import { shortTime } from '../store/times.ts';
import { AheadList } from './ahead/ahead-list.tsx';
import { Empty } from './empty.tsx';
import { PlaceLabel } from './place-label.tsx';
import { useRows } from './use-rows.ts';
import '../parts/style/beside-style.ts';

/** Shows what is sent later, and texts that were begun and not sent, newest first. */
export const DraftsView = () => (
  <>
    <AheadList />
    <Drafts />
  </>
);

/** As much of a text as one listens to. */
const NAME_LENGTH_MAX = 60;

function Drafts() {
  const rows = useRows();
  const drafts = [...app.read('drafts').drafts.values()].sort(
    (one, other) => other.timestamp - one.timestamp,
  );
  if (drafts.length === 0) {
    return (
      <Empty icon="draft" title="No drafts">
        <p>What you write and do not send is kept here, in all your browsers.</p>
      </Empty>
    );
  }
  return (
    <div class="ahead" ref={rows}>
      <h2>Not sent yet</h2>
      <ul class="card-list recent drafts">
        {drafts.map(({ id, type, to, topic, content, timestamp }) => {
          const place = placeIn(type, to, topic);
          // One that goes to nobody yet is in the field beside all messages.
          const narrow = place === null ? [] : narrowOf(place);
          return (
            <li key={id} class="entry">
              <a class="entry-link draft" href={hrefOf(narrowRoute(narrow))}>
                {place === null ? (
                  <span class="place">To nobody yet</span>
                ) : (
                  <PlaceLabel place={place} />
                )}
                <span class="draft-text cut">{content}</span>
                <time>{shortTime(timestamp * 1_000, nowMs.value)}</time>
              </a>
              <button
                type="button"
                class="icon"
                aria-label={`Delete the draft: ${content.slice(0, NAME_LENGTH_MAX)}`}
                title="Delete the draft"
                onClick={() => attempt(deleteDraft(id), 'The draft is deleted.')}
              >
                <Icon name="trash" />
              </button>
            </li>
          );
        })}
      </ul>
    </div>
  );
}

function placeIn(type: string, to: readonly number[], topic: string): Unread['place'] | null {
  const [channelId] = to;
  if (channelId === undefined) return null;
  if (type === 'stream') return { kind: 'topic', channelId, topic };
  const others = to.filter((id) => id !== ownId.value).sort((one, other) => one - other);
  return { kind: 'dm', userIds: others.length === 0 ? [ownId.value] : others };
}
