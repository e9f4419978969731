import type {
  FollowerView,
  NodeView,
  ClusterView as Seen,
  ShardView,
} from '../../../src/console/wire.ts';
import { ago, count, duration, shown, size, span, stamp } from '../format.ts';
import { Loading, Table } from '../parts/table.tsx';
import { usePolled } from '../store/ask.ts';

const POLL_MS = 2_000;

const NODES = [
  { title: 'Node' },
  { title: 'Address' },
  { title: 'Version' },
  { title: 'Up', isNumber: true },
  { title: 'Owns', isNumber: true },
  { title: 'Copies', isNumber: true },
  { title: 'CPU', isNumber: true },
  { title: 'Memory', isNumber: true },
];
const SHARDS = [
  { title: 'Shard' },
  { title: 'Owner' },
  { title: 'Epoch', isNumber: true },
  { title: 'Newest record', isNumber: true },
  { title: 'Followers' },
  { title: 'Came to its owner' },
  { title: 'Log' },
];

/** Shows the nodes, the shards with their owners and followers, the logs and the storage. */
export function ClusterView() {
  const { asked } = usePolled<Seen>('cluster', POLL_MS);
  if (asked.value === null) return <Loading fault={asked.fault} />;
  const { node, nodes, shards } = asked.value;
  const without = shards.filter(({ owner }) => owner === null).length;
  const versions = new Set(nodes.flatMap(({ version }) => version ?? []));
  return (
    <>
      <Warnings seen={asked.value} without={without} />
      <Facts {...asked.value} />
      <h2>Nodes</h2>
      <Table
        caption="Nodes"
        columns={NODES}
        nothing="No node is heard of."
        rows={nodes.map((one) => ({ key: one.node, cells: nodeCells(one, one.node === node) }))}
      />
      {versions.size > 1 ? (
        <p class="faint">The nodes have different versions: an upgrade is under way.</p>
      ) : null}
      <h2>Shards</h2>
      <Table
        caption="Shards"
        columns={SHARDS}
        nothing="There are none."
        rows={shards.map((shard) => ({
          key: String(shard.shard),
          cells: shardCells(shard, nodes),
        }))}
      />
    </>
  );
}

function Warnings({ seen, without }: { readonly seen: Seen; readonly without: number }) {
  const { isReached, log, storage, shards } = seen;
  const warnings = [
    isReached ? '' : 'This node does not reach the cluster: what it shows of others may be old.',
    log.isConnected ? '' : 'The NATS servers do not answer this node.',
    storage?.isAway ? 'The shared storage is away: uploads and downloads are refused.' : '',
    without > 0
      ? `${count(without)} of ${count(shards.length)} shards ${without === 1 ? 'has' : 'have'} no owner.`
      : '',
  ].filter((text) => text !== '');
  return warnings.map((text) => (
    <p key={text} class="alert" role="status">
      {text}
    </p>
  ));
}

function Facts({ node, nodes, shards, log, storage }: Seen) {
  const owned = shards.filter(({ owner }) => owner === node).length;
  const logs = shards.flatMap((one) => one.log ?? []);
  const bytes = logs.reduce((sum, one) => sum + one.bytes, 0);
  const whole = logs.filter(({ copies, current }) => copies === current).length;
  return (
    <dl class="facts">
      <dt>This node</dt>
      <dd>
        <strong>{node}</strong>, one of {count(nodes.length)}; it owns {count(owned)} of{' '}
        {count(shards.length)} shards
      </dd>
      <dt>NATS</dt>
      <dd>
        {log.server === null ? (
          <span class="bad">not reached</span>
        ) : (
          <>
            <span class="good">connected</span> to {log.server}
            {log.roundTripMs === null ? '' : `, answers in ${duration(log.roundTripMs / 1_000)}`}
          </>
        )}
        {logs.length === 0
          ? ''
          : `; ${size(bytes)} of logs, ${count(whole)} of ${count(logs.length)} with all copies current`}
      </dd>
      <dt>Storage</dt>
      <dd>
        {storage === null ? (
          'no shared one: each node has its own files'
        ) : (
          <>
            <span class={storage.isAway ? 'bad' : 'good'}>{storage.isAway ? 'away' : 'there'}</span>
            : <code>{storage.address}</code>
            {storage.answeredAt === null ? '' : `, answered ${ago(storage.answeredAt)}`}
            {storage.failure === null
              ? ''
              : `; last away ${ago(storage.failure.at)}: ${storage.failure.why}`}
          </>
        )}
      </dd>
    </dl>
  );
}

const nodeCells = (one: NodeView, isHere: boolean) => [
  <span key="node" class="whole">
    {one.node} {isHere ? <span class="mark">this one</span> : null}{' '}
    {one.isLeaving ? (
      <span class="mark warn">{one.isDrained ? 'drained' : 'takes no shards'}</span>
    ) : null}
  </span>,
  <code key="address">{one.address}</code>,
  one.version ?? 'older',
  one.since === null ? '–' : span((Date.now() - one.since) / 1_000),
  count(one.owned),
  count(one.copies),
  shown(one.cpu, 'share'),
  shown(one.rssBytes, 'bytes'),
];

const shardCells = (shard: ShardView, nodes: readonly NodeView[]) => [
  String(shard.shard),
  <span key="owner" class="whole">
    {shard.owner ?? <span class="bad">nobody</span>}
    {shard.pinnedTo === null ? null : <small>pinned to {shard.pinnedTo}</small>}
  </span>,
  count(shard.epoch),
  count(shard.sequence),
  <Followers key="followers" all={shard.followers} lacking={shard.lacking} nodes={nodes} />,
  <Change key="change" change={shard.change} owner={shard.owner} />,
  <Log key="log" log={shard.log} />,
];

const recordsText = (records: number) =>
  `${count(records)} ${records === 1 ? 'record' : 'records'}`;

/** A follower that waits for a record longer than this is shown as late. */
const LATE_MS = 1_000;

interface FollowersProps {
  readonly all: readonly FollowerView[];
  readonly lacking: readonly string[];
  /** The nodes that are heard of. */
  readonly nodes: readonly NodeView[];
}

function Followers({ all, lacking, nodes }: FollowersProps) {
  if (all.length === 0 && lacking.length === 0) return <span class="warn">none</span>;
  return (
    <ul class="plain">
      {all.map(({ node, records, ms }) => (
        <li key={node}>
          {node}{' '}
          {records === 0 ? (
            <small class="inline">level</small>
          ) : (
            <small class={ms > LATE_MS ? 'inline bad' : 'inline'}>
              {recordsText(records)} behind for {duration(ms / 1_000)}
            </small>
          )}
        </li>
      ))}
      {lacking.map((name) => (
        <li key={name}>
          {name}{' '}
          <small class="inline warn">
            {nodes.some(({ node }) => node === name) ? 'has no copy yet' : 'is not heard of'}
          </small>
        </li>
      ))}
    </ul>
  );
}

interface ChangeProps {
  readonly change: ShardView['change'];
  readonly owner: string | null;
}

function Change({ change, owner }: ChangeProps) {
  if (change === null) return <span class="faint">not known</span>;
  const { kind, from, at, ms } = change;
  const how = {
    move: `moved from ${from ?? 'another node'}`,
    'take-over': from === owner ? 'claimed again' : `taken over from ${from}`,
    'first claim': 'claimed first',
  }[kind];
  return (
    <span class="whole" title={stamp(at)}>
      {how ?? kind} {ago(at)}
      {kind === 'first claim' ? null : <small>nobody wrote for {duration(ms / 1_000)}</small>}
    </span>
  );
}

function Log({ log }: { readonly log: ShardView['log'] }) {
  if (log === null) return <span class="faint">not told</span>;
  const { leader, copies, current, bytes, records } = log;
  return (
    <span class="whole">
      {leader === null ? <span class="bad">no leader</span> : `led by ${leader}`},{' '}
      <span class={current < copies ? 'warn' : ''}>
        {count(current)} of {count(copies)} current
      </span>
      <small>
        {recordsText(records)}, {size(bytes)}
      </small>
    </span>
  );
}
