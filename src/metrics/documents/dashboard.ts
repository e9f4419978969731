import { type Declaration, ROWS, type Row } from '../declaration.ts';
import { DECLARATIONS } from '../declarations.ts';

/** The rows of a dashboard; the metrics of the process are the library's and declared nowhere. */
const DASHBOARD_ROWS = ['process', ...ROWS] as const;

const TITLES: Readonly<Record<Row | 'process', string>> = {
  process: 'The process',
  requests: 'Requests and log-ins',
  writing: 'Writing',
  events: 'Events',
  connections: 'Connections',
  storage: 'Storage',
  later: 'What is done later',
  cluster: 'The cluster (nodes only)',
};

const COLUMNS = 24;
const PANEL_WIDTH = 8;
const PANEL_HEIGHT = 7;

/** Returns a dashboard of Grafana with a panel for each metric, so that none is left out. */
export function dashboard(): string {
  const panels: object[] = [];
  let y = 0;
  for (const row of DASHBOARD_ROWS) {
    const place = { h: 1, w: COLUMNS, x: 0, y };
    panels.push({ type: 'row', id: panels.length + 1, title: TITLES[row], gridPos: place });
    y += 1;
    const shown =
      row === 'process'
        ? PROCESS
        : DECLARATIONS.filter((declaration) => declaration.row === row).map(shownOf);
    for (const [index, panel] of shown.entries()) {
      const perLine = COLUMNS / PANEL_WIDTH;
      const gridPos = {
        h: PANEL_HEIGHT,
        w: PANEL_WIDTH,
        x: (index % perLine) * PANEL_WIDTH,
        y: y + Math.floor(index / perLine) * PANEL_HEIGHT,
      };
      panels.push({ ...panelOf(panel), id: panels.length + 1, gridPos });
    }
    y += Math.ceil((shown.length * PANEL_WIDTH) / COLUMNS) * PANEL_HEIGHT;
  }
  return `${JSON.stringify({ ...FRAME, panels }, null, 2)}\n`;
}

const FRAME = {
  title: 'confab',
  uid: 'confab',
  tags: ['confab'],
  schemaVersion: 38,
  editable: true,
  refresh: '30s',
  time: { from: 'now-3h', to: 'now' },
  templating: {
    list: [
      { name: 'datasource', type: 'datasource', query: 'prometheus', label: 'Data source' },
      {
        name: 'instance',
        type: 'query',
        label: 'Server',
        datasource: { type: 'prometheus', uid: '$datasource' },
        query: { query: 'label_values(confab_ready, instance)', refId: 'instance' },
        refresh: 1,
      },
    ],
  },
};

interface Panel {
  readonly title: string;
  readonly description: string;
  readonly unit: string;
  readonly queries: readonly Query[];
}

const shownOf = (declaration: Declaration): Panel => ({
  title: declaration.name,
  description: declaration.help,
  unit: unitOf(declaration),
  queries: queriesOf(declaration),
});

function panelOf({ title, description, unit, queries }: Panel) {
  return {
    type: 'timeseries',
    title,
    description,
    datasource: { type: 'prometheus', uid: '$datasource' },
    fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
    options: { legend: { displayMode: 'list', placement: 'bottom' }, tooltip: { mode: 'multi' } },
    targets: queries.map(({ expr, legend }, index) => ({
      refId: String.fromCharCode('A'.charCodeAt(0) + index),
      expr,
      legendFormat: legend,
    })),
  };
}

interface Query {
  readonly expr: string;
  readonly legend: string;
}

const CHOSEN = '{instance="$instance"}';

const PROCESS: readonly Panel[] = [
  {
    title: 'CPU',
    description: 'Seconds of CPU time a second: 1 is a core.',
    unit: 'short',
    queries: ['user', 'system'].map((kind) => ({
      expr: `rate(process_cpu_${kind}_seconds_total${CHOSEN}[$__rate_interval])`,
      legend: kind,
    })),
  },
  {
    title: 'Memory',
    description: 'Resident memory of the process, and the parts of it that JavaScript uses.',
    unit: 'bytes',
    queries: [
      { expr: `process_resident_memory_bytes${CHOSEN}`, legend: 'resident' },
      { expr: `nodejs_heap_size_used_bytes${CHOSEN}`, legend: 'heap' },
      { expr: `nodejs_external_memory_bytes${CHOSEN}`, legend: 'external' },
    ],
  },
  {
    title: 'Delay of the event loop',
    description: 'How late the event loop came to a timer that is due each 20 ms.',
    unit: 's',
    queries: quantilesOf('nodejs_eventloop_delay_seconds', []),
  },
  {
    title: 'Garbage collection',
    description: 'Seconds a second in which garbage is collected, by its kind.',
    unit: 's',
    queries: [
      {
        expr: `sum by (kind) (rate(nodejs_gc_duration_seconds_sum${CHOSEN}[$__rate_interval]))`,
        legend: '{{kind}}',
      },
    ],
  },
  {
    title: 'File descriptors',
    description: 'Open file descriptors, and how many there may be.',
    unit: 'short',
    queries: [
      { expr: `process_open_fds${CHOSEN}`, legend: 'open' },
      { expr: `process_max_fds${CHOSEN}`, legend: 'at most' },
    ],
  },
  {
    title: 'Running for',
    description: 'The time since the start of the process.',
    unit: 's',
    queries: [{ expr: `time() - process_start_time_seconds${CHOSEN}`, legend: 'running for' }],
  },
];

function queriesOf({ name, type, labels }: Declaration): readonly Query[] {
  const names = Object.keys(labels);
  const legend = names.map((label) => `{{${label}}}`).join(' ') || name;
  const by = names.length === 0 ? '' : ` by (${names.join(', ')})`;
  if (type === 'gauge') return [{ expr: `${name}${CHOSEN}`, legend }];
  if (type === 'counter') {
    return [{ expr: `sum${by} (rate(${name}${CHOSEN}[$__rate_interval]))`, legend }];
  }
  return quantilesOf(name, names);
}

function quantilesOf(histogram: string, labels: readonly string[]): readonly Query[] {
  const legend = labels.map((label) => `{{${label}}}`).join(' ');
  const by = ['le', ...labels].join(', ');
  const buckets = `sum by (${by}) (rate(${histogram}_bucket${CHOSEN}[$__rate_interval]))`;
  return [0.5, 0.99].map((share) => ({
    expr: `histogram_quantile(${share}, ${buckets})`,
    legend: `p${share * 100} ${legend}`.trim(),
  }));
}

function unitOf({ name, type }: Declaration): string {
  const isBytes = /_bytes(_total)?$/.test(name);
  if (name.endsWith('_timestamp_seconds')) return 'dateTimeAsIso';
  if (name.endsWith('_ratio')) return 'percentunit';
  if (isBytes) return type === 'counter' ? 'Bps' : 'bytes';
  if (name.endsWith('_seconds')) return 's';
  return type === 'counter' ? 'ops' : 'short';
}
