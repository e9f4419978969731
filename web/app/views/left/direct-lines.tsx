import { useState } from 'preact/hooks';
import { Avatar } from '../../parts/avatar.tsx';
import { Count } from '../../parts/count.tsx';
import { Icon } from '../../parts/icon.tsx';
import { directs, names, personOf, presenceOf } from '../../store/model.ts';
import { hrefOf, isShown } from '../../store/navigation.ts';
import { dmNarrow, narrowRoute } from '../../store/route.ts';
import { peopleLabel } from '../../store/title.ts';
import { LeftSection } from './left-section.tsx';

/** Older ones without anything unread are behind a click. */
const SHOWN = 8;

/** Direct conversations, newest first. */
export function DirectLines() {
  const [isAll, setAll] = useState(false);
  const all = directs.value;
  const lines = isAll ? all : all.filter(({ count }, index) => index < SHOWN || count > 0);
  return (
    <LeftSection name="directs" title="Direct messages">
      {all.length === 0 ? (
        <p class="left-empty muted">
          Nobody has written to you yet. Press <kbd>x</kbd> to write to somebody.
        </p>
      ) : (
        <ul class="lines">
          {lines.map(({ userIds, count }) => (
            <DirectLine key={userIds.join()} userIds={userIds} count={count} />
          ))}
        </ul>
      )}
      {lines.length < all.length ? (
        <button type="button" class="quiet more" onClick={() => setAll(true)}>
          {all.length - lines.length} more
        </button>
      ) : null}
    </LeftSection>
  );
}

interface DirectLineProps {
  readonly userIds: readonly number[];
  readonly count: number;
}

function DirectLine({ userIds, count }: DirectLineProps) {
  const to = narrowRoute(dmNarrow(userIds));
  const [only = 0] = userIds;
  return (
    <li>
      <a class="line" href={hrefOf(to)} aria-current={isShown(to) ? 'page' : undefined}>
        {userIds.length === 1 ? (
          <Avatar person={personOf(only)} size="s" presence={presenceOf(only)} />
        ) : (
          <Icon name="people" />
        )}
        <span class="cut">{peopleLabel(userIds, names)}</span>
        <Count count={count} isUrgent />
      </a>
    </li>
  );
}
