import { Avatar } from '../../parts/avatar.tsx';
import { WindowList } from '../../parts/lists/window-list.tsx';
import { app } from '../../store/app.ts';
import { hrefOf } from '../../store/navigation.ts';
import { openPanel } from '../../store/panels.ts';
import type { ColumnRow } from '../../store/people/column.ts';
import { shownRows } from '../../store/people/column-of-app.ts';
import { dmNarrow, narrowRoute } from '../../store/route.ts';

const ROW_REM = 2.25;

/**
 * People by whether they belong here, and whether they are online. As all that reads signals, it is
 * rendered again only when one of them changes, and not with what is around it.
 */
export function PeopleList() {
  return (
    <WindowList
      label="People"
      class="people-list"
      items={shownRows.value}
      keyOf={({ key }) => key}
      rowRem={ROW_REM}
      hasFocus={({ kind }) => kind === 'person'}
    >
      {(row, tabIndex) =>
        row.kind === 'heading' ? (
          <Heading row={row} />
        ) : (
          <PersonLine row={row} tabIndex={tabIndex} />
        )
      }
    </WindowList>
  );
}

function Heading({ row }: { readonly row: Extract<ColumnRow, { kind: 'heading' }> }) {
  const { title, count, here } = row;
  return (
    <h2 class="people-heading">
      <span class="cut">{title}</span>
      <small>
        {count}
        {here === 0 ? '' : ` · ${here} here`}
      </small>
    </h2>
  );
}

interface PersonLineProps {
  readonly row: Extract<ColumnRow, { kind: 'person' }>;
  readonly tabIndex: 0 | -1;
}

function PersonLine({ row: { person, presence }, tabIndex }: PersonLineProps) {
  const status = app.read('statuses').statuses.get(person.id)?.status_text;
  return (
    <>
      <a
        class={presence === 'offline' ? 'line away' : 'line'}
        href={hrefOf(narrowRoute(dmNarrow([person.id])))}
        tabIndex={tabIndex}
      >
        <Avatar person={person} size="s" presence={presence} />
        <span class="line-text">
          <span class="cut">{person.name}</span>
          {status === undefined || status === '' ? null : <small class="cut">{status}</small>}
        </span>
        {person.isGuest ? <small>guest</small> : null}
      </a>
      <button
        type="button"
        class="icon more-of drawn"
        aria-label={`Profile of ${person.name}`}
        tabIndex={tabIndex}
        onClick={() => openPanel({ about: 'person', userId: person.id })}
      />
    </>
  );
}
