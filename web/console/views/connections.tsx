import type { ConnectionsView as Seen } from '../../../src/console/wire.ts';
import { count, duration, size } from '../format.ts';
import { Loading, Table } from '../parts/table.tsx';
import { usePolled } from '../store/ask.ts';

const POLL_MS = 3_000;

const CLIENTS = [
  { title: 'Client' },
  { title: 'Version' },
  { title: 'Sockets', isNumber: true },
  { title: 'Polls', isNumber: true },
  { title: 'Share', isNumber: true },
];
const SLOW = [
  { title: 'User' },
  { title: 'Realm' },
  { title: 'Client' },
  { title: 'Not taken yet', isNumber: true },
  { title: 'Since', isNumber: true },
];

/** Shows the connected programs, and clients that do not take what is sent. */
export function ConnectionsView() {
  const { asked } = usePolled<Seen>('connections', POLL_MS);
  if (asked.value === null) return <Loading fault={asked.fault} />;
  const { sockets, polls, pollsCounted, clients, slow } = asked.value;
  const all = Math.max(1, sockets + pollsCounted);
  return (
    <>
      <p>
        {count(sockets)} open sockets, {count(polls)} waiting polls
        {pollsCounted < polls ? `, of which ${count(pollsCounted)} are counted here` : ''}.
      </p>
      <h2>Connections by client</h2>
      <Table
        caption="Connections by client"
        columns={CLIENTS}
        nothing="No socket is open, and no poll waits."
        rows={clients.map(({ client, version, sockets: own, polls: waiting }) => ({
          key: `${client} ${version}`,
          cells: [
            client,
            version,
            count(own),
            count(waiting),
            `${Math.round((100 * (own + waiting)) / all)} %`,
          ],
        }))}
      />
      <h2>Slow sockets</h2>
      <Table
        caption="Slow sockets"
        columns={SLOW}
        nothing="Every client takes what is sent to it."
        rows={slow.map(({ user, realm, client, bufferedBytes, stalledMs }, index) => ({
          key: String(index),
          cells: [user, realm, client, size(bufferedBytes), duration(stalledMs / 1_000)],
        }))}
      />
    </>
  );
}
