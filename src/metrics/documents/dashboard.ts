import { DECLARATIONS, type Declaration, ROWS, type Row } from '../declarations.ts';

const TITLES: Readonly<Record<Row, string>> = {
  requests: 'Requests and log-ins',
  writing: 'Writing',
  events: 'Events',
  connections: 'Connections',
  storage: 'Storage',
  later: 'What is done later',
};

const COLUMNS = 24;
const PANEL_WIDTH = 8;
const PANEL_HEIGHT = 7;

/** Returns a dashboard of Grafana with a panel for each metric, so that none is left out. */
export function dashboard(): string {
  const panels: object[] = [];
  let y = 0;
  for (const row of ROWS) {
    const place = { h: 1, w: COLUMNS, x: 0, y };
    panels.push({ type: 'row', id: panels.length + 1, title: TITLES[row], gridPos: place });
    y += 1;
    const shown = DECLARATIONS.filter((declaration) => declaration.row === row);
    for (const [index, declaration] of shown.entries()) {
      const perLine = COLUMNS / PANEL_WIDTH;
      const gridPos = {
        h: PANEL_HEIGHT,
        w: PANEL_WIDTH,
        x: (index % perLine) * PANEL_WIDTH,
        y: y + Math.floor(index / perLine) * PANEL_HEIGHT,
      };
      panels.push({ ...panelOf(declaration), id: panels.length + 1, gridPos });
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

function panelOf(declaration: Declaration) {
  const { name, help } = declaration;
  return {
    type: 'timeseries',
    title: name,
    description: help,
    datasource: { type: 'prometheus', uid: '$datasource' },
    fieldConfig: { defaults: { unit: unitOf(declaration), min: 0 }, overrides: [] },
    options: { legend: { displayMode: 'list', placement: 'bottom' }, tooltip: { mode: 'multi' } },
    targets: queriesOf(declaration).map(({ expr, legend }, index) => ({
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

function queriesOf({ name, type, labels }: Declaration): readonly Query[] {
  const names = Object.keys(labels);
  const legend = names.map((label) => `{{${label}}}`).join(' ') || name;
  const by = names.length === 0 ? '' : ` by (${names.join(', ')})`;
  if (type === 'gauge') return [{ expr: `${name}${CHOSEN}`, legend }];
  if (type === 'counter') {
    return [{ expr: `sum${by} (rate(${name}${CHOSEN}[$__rate_interval]))`, legend }];
  }
  const buckets = `sum by (${['le', ...names].join(', ')}) (rate(${name}_bucket${CHOSEN}[$__rate_interval]))`;
  return [0.5, 0.99].map((share) => ({
    expr: `histogram_quantile(${share}, ${buckets})`,
    legend: `p${share * 100} ${names.length === 0 ? '' : legend}`.trim(),
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
