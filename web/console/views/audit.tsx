import { useEffect, useState } from 'preact/hooks';
import type { AuditLine, AuditView as Found } from '../../../src/console/wire.ts';
import { ago, stamp } from '../format.ts';
import { RealmChoice, useRealm } from '../parts/realm-choice.tsx';
import { Loading, Table } from '../parts/table.tsx';
import { usePolled } from '../store/ask.ts';

const POLL_MS = 10_000;
/** An address is looked for when the typing pauses. */
const TYPING_MS = 300;

const COLUMNS = [
  { title: 'When' },
  { title: 'By' },
  { title: 'Act' },
  { title: 'Of' },
  { title: 'Change' },
];

/** Shows the newest acts of a realm's audit log, and on request older ones. */
export function AuditView() {
  const { names, realm } = useRealm();
  const [kind, setKind] = useState('');
  const [typed, setTyped] = useState('');
  const [user, setUser] = useState('');
  // The id before which the acts of the page are; the way back to newer pages lies behind it.
  const [pages, setPages] = useState<readonly string[]>([]);
  useEffect(() => {
    const timer = setTimeout(() => setUser(typed.trim()), TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  useEffect(() => setPages([]), [realm, kind, user]);
  const before = pages.at(-1) ?? '';
  const { asked } = usePolled<Found>(
    realm === undefined ? null : `audit?${new URLSearchParams({ realm, kind, user, before })}`,
    POLL_MS,
  );
  const found = asked.value;
  return (
    <>
      <search class="bar">
        <RealmChoice names={names} realm={realm} />
        <label>
          Kind{' '}
          <select value={kind} onChange={({ currentTarget }) => setKind(currentTarget.value)}>
            <option value="">all</option>
            {(found?.kinds ?? []).map((one) => (
              <option key={one} value={one}>
                {wordsOf(one)}
              </option>
            ))}
          </select>
        </label>
        <label class="wide">
          By (address){' '}
          <input
            type="search"
            value={typed}
            onInput={({ currentTarget }) => setTyped(currentTarget.value)}
          />
        </label>
      </search>
      {found === null || asked.fault !== null ? (
        <Loading fault={asked.fault} />
      ) : (
        <>
          <Entries entries={found.entries} />
          <div class="bar">
            <button
              type="button"
              disabled={pages.length === 0}
              onClick={() => setPages(pages.slice(0, -1))}
            >
              Newer
            </button>
            <button
              type="button"
              disabled={!found.hasMore}
              onClick={() => setPages([...pages, String(found.entries.at(-1)?.id)])}
            >
              Older
            </button>
          </div>
        </>
      )}
    </>
  );
}

const Entries = ({ entries }: { readonly entries: readonly AuditLine[] }) => (
  <Table
    caption="Audit log"
    columns={COLUMNS}
    nothing="No act is like that."
    rows={entries.map((entry) => ({
      key: String(entry.id),
      cells: [
        <time key="at" dateTime={new Date(entry.at).toISOString()} title={stamp(entry.at)}>
          {ago(entry.at)}
        </time>,
        entry.by,
        `${wordsOf(entry.kind)}: ${entry.op}`,
        entry.target,
        <Changes key="changes" changes={entry.changes} />,
      ],
    }))}
  />
);

function Changes({ changes }: Pick<AuditLine, 'changes'>) {
  return (
    <ul class="changes">
      {changes.map(({ name, before, after }) => (
        <li key={name}>
          <span class="faint">{name}</span> {before === null ? null : <del>{before}</del>}{' '}
          {after === null ? null : <ins>{after}</ins>}
        </li>
      ))}
    </ul>
  );
}

const wordsOf = (name: string) => name.replaceAll('_', ' ');
