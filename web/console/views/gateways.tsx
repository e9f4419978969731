import type { GatewaysView as Seen } from '../../../src/console/wire.ts';
import { ago, count, shown, size, span } from '../format.ts';
import { Loading, Table } from '../parts/table.tsx';
import { usePolled } from '../store/ask.ts';

const POLL_MS = 2_000;

const COLUMNS = [
  { title: 'Gateway' },
  { title: 'Process', isNumber: true },
  { title: 'Up', isNumber: true },
  { title: 'Sockets', isNumber: true },
  { title: 'Slow', isNumber: true },
  { title: 'CPU', isNumber: true },
  { title: 'Memory', isNumber: true },
  { title: 'Not taken yet', isNumber: true },
];

/** Shows the processes that serve the clients of this server, which writes. */
export function GatewaysView() {
  const { asked } = usePolled<Seen>('gateways', POLL_MS);
  if (asked.value === null) return <Loading fault={asked.fault} />;
  const { wanted, gateways, ended, lastEnd } = asked.value;
  const missing = wanted - gateways.length;
  return (
    <>
      <p>
        This process writes, and {count(gateways.length)} of {count(wanted)} gateways serve its
        clients.
      </p>
      {missing > 0 ? (
        <p class="alert">
          {count(missing)} {missing === 1 ? 'gateway is' : 'gateways are'} being started again.
        </p>
      ) : null}
      <Table
        caption="Gateways"
        columns={COLUMNS}
        nothing="No gateway runs."
        rows={gateways.map((one) => ({
          key: String(one.number),
          cells: [
            `Gateway ${one.number}`,
            one.pid === null ? '–' : String(one.pid),
            span((Date.now() - one.since) / 1_000),
            count(one.sockets),
            count(one.behind),
            shown(one.cpu, 'share'),
            size(one.rssBytes),
            size(one.unsentBytes),
          ],
        }))}
      />
      <p class="faint">
        {lastEnd === null
          ? 'None has ended by itself since the start.'
          : `${count(ended)} ${ended === 1 ? 'gateway has ended by itself' : 'gateways have ended by themselves'} since the start, the last one ${ago(lastEnd.at)}: ${lastEnd.why}.`}{' '}
        A gateway that ends takes its connections along, and another one follows.
      </p>
    </>
  );
}
