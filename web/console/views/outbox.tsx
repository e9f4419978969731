import type { OutboxEntry, OutboxView as Seen } from '../../../src/console/wire.ts';
import { ago, count, stamp } from '../format.ts';
import { Loading, Table } from '../parts/table.tsx';
import { post, usePolled } from '../store/ask.ts';
import { told } from '../store/notices.ts';

const POLL_MS = 3_000;

/** The kinds of entries, as people call them. */
const KINDS: Readonly<Record<string, string>> = {
  webhook: 'webhooks of bots',
  push: 'pushes by message',
  webPush: 'pushes to browsers',
  apns: 'pushes to iOS devices',
  fcm: 'pushes to Android devices',
  mail: 'mails',
  missed: 'mails of missed messages',
  digest: 'weekly mails',
  visit: 'link previews',
  removedFile: 'files to remove',
  thumbnail: 'thumbnails',
  export: 'exports',
};

const COUNTS = [
  { title: 'Kind' },
  { title: 'Waiting', isNumber: true },
  { title: 'Delivered', isNumber: true },
  { title: 'Tried again', isNumber: true },
  { title: 'Given up', isNumber: true },
];
/** The results of mails that came in, as people call them; all but two are refusals. */
const RESULTS: Readonly<Record<string, string>> = {
  taken: 'became a message',
  dropped: 'automatic reply',
  no_relay: 'not from a relay',
  no_address: 'unknown or ended address',
  automatic: 'from a program or a list',
  loop: 'from a server of this kind',
  not_allowed: 'not allowed there',
  too_large: 'too large',
  cut_off: 'cut off',
  rate: 'too many from one sender',
  busy: 'too many at once',
  no_owner: 'no server writes the realm',
  fault: 'fault of the server',
};

const MAILS_IN = [{ title: 'Result' }, { title: 'Mails', isNumber: true }];
const ENTRIES = [
  { title: 'Entry' },
  { title: 'Realm' },
  { title: 'State' },
  { title: 'Attempts', isNumber: true },
  { title: 'Next attempt' },
  { title: 'Acts', isHidden: true },
];

/** Shows entries that have not left the server yet. */
export function OutboxView() {
  const { asked, refresh } = usePolled<Seen>('outbox', POLL_MS);
  if (asked.value === null) return <Loading fault={asked.fault} />;
  const { kinds, mailsIn, entries, isCut } = asked.value;
  const retry = ({ realm, id, dueAt }: OutboxEntry) =>
    void told(
      `Entry ${id} of ${realm} is tried now`,
      post('outbox/retry', { realm, id, dueAt }),
    ).then(refresh);
  return (
    <>
      <Table
        caption="By kind, since the server was started"
        columns={COUNTS}
        nothing=""
        rows={kinds.map(({ kind, waiting, delivered, retried, givenUp }) => ({
          key: kind,
          cells: [
            KINDS[kind] ?? kind,
            count(waiting),
            count(delivered),
            count(retried),
            <span key="given up" class={givenUp > 0 ? 'bad' : ''}>
              {count(givenUp)}
            </span>,
          ],
        }))}
      />
      {mailsIn.length === 0 ? null : (
        <>
          <h2>Mails that came in</h2>
          <Table
            caption="Mails that came in, since the server was started"
            columns={MAILS_IN}
            nothing=""
            rows={mailsIn
              .filter((row) => row.count > 0 || row.result === 'taken')
              .map(({ result, count: mails }) => ({
                key: result,
                cells: [RESULTS[result] ?? result, count(mails)],
              }))}
          />
        </>
      )}
      <h2>Waiting now</h2>
      <Table
        caption="Waiting now"
        columns={ENTRIES}
        nothing="Everything has been delivered."
        rows={entries.map((entry) => ({
          key: `${entry.realm} ${entry.id}`,
          cells: [
            `${KINDS[entry.kind] ?? entry.kind} ${entry.id}`,
            entry.realm,
            <span key="state" class={entry.state === 'failed' ? 'bad' : ''}>
              {entry.state}
            </span>,
            count(entry.attempts),
            <span key="due" title={stamp(entry.dueAt)}>
              {ago(entry.dueAt)}
            </span>,
            entry.state === 'under way' ? null : (
              <button key="retry" type="button" onClick={() => retry(entry)}>
                Try now<span class="unseen"> entry {entry.id}</span>
              </button>
            ),
          ],
        }))}
      />
      {isCut ? <p class="faint">There are more; those that are due first are shown.</p> : null}
    </>
  );
}
