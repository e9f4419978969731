import { METRICS_REALMS_MAX } from '../../domain/limits/operator.ts';
import { type Declaration, ROWS, type Row } from '../declaration.ts';
import { DECLARATIONS } from '../declarations.ts';
import { Histogram } from '../histogram.ts';
import { openRegistry } from '../registry.ts';
import { ALERTS } from './alerts.ts';

const HEADINGS: Readonly<Record<Row, string>> = {
  requests: 'The server, requests and log-ins',
  writing: 'Writing',
  events: 'Events',
  connections: 'Connections',
  storage: 'Storage',
  later: 'What is done later',
  cluster: 'The cluster (nodes of one only)',
};

const LEAD = `# Metrics

_Written by \`npm run docs\` from the declarations in \`src/metrics\`._

The server hands its metrics to Prometheus at \`http://127.0.0.1:8081/metrics\`, which only this machine reaches;
[settings](settings.md) says how to change that (\`CONFAB_OPERATOR\`). \`/readyz?verbose\` beside it says whether the server should
be sent requests, and why not. The port for clients has \`/livez\` (200 while the process answers) and \`/readyz\` (200 or 503) for
balancers, without limits and for any host.

\`\`\`yaml
scrape_configs:
  - job_name: confab
    static_configs: [{ targets: ['127.0.0.1:8081'] }]
rule_files: [confab-alerts.yml]
\`\`\`

[The alert rules](operating/confab-alerts.yml) and [a dashboard for Grafana](operating/confab-dashboard.json) come from the same
declarations. No label has a user, an address or a path: each has the values that are listed here, so that the number of series has
a bound. With \`CONFAB_METRICS_REALMS=1\` a few metrics also have a label with the names of the first ${METRICS_REALMS_MAX} realms. Histograms have bounds that double; one of \`_seconds\` begins at 128 µs and ends at 8.4 s.
`;

/** The values do not matter for a page. */
const STILL = { delayMs: new Histogram(1), maxMs: () => 0 };

/** How many values of a label are written out. */
const VALUES_SHOWN_MAX = 16;

export function metricsPage(): string {
  const own = ROWS.map((row) => {
    const rows = DECLARATIONS.filter((declaration) => declaration.row === row).map(rowOf);
    return `## ${HEADINGS[row]}\n\n${table(['metric', 'type', 'labels', 'meaning'], rows)}`;
  });
  return [LEAD, ...own, processMetrics(), alerts()].join('\n');
}

const rowOf = ({ name, type, labels, help }: Declaration): readonly string[] => [
  `\`${name}\``,
  type,
  Object.entries(labels)
    .map(([label, values]) => `\`${label}\`: ${valuesOf(label, values)}`)
    .join('; '),
  help,
];

function valuesOf(label: string, values: readonly string[]): string {
  if (label === 'endpoint') return `an operationId, or ${values.join(', ')}`;
  if (label === 'realm') return `the name of one of the first ${METRICS_REALMS_MAX} realms`;
  // It is that of the machine which runs the server.
  if (label === 'node') return 'as `node --version` prints it';
  if (values.length <= VALUES_SHOWN_MAX) return values.join(', ');
  return `${values.slice(0, 3).join(', ')} and ${values.length - 3} more`;
}

function processMetrics(): string {
  const rows = openRegistry(STILL)
    .getMetricsAsArray()
    .map(({ name, help, type }) => [`\`${name}\``, String(type), help]);
  return `## The process\n\nThese come from [prom-client](decisions/0175-metrics.md).\n\n${table(['metric', 'type', 'meaning'], rows)}`;
}

function alerts(): string {
  const rows = ALERTS.map(({ name, expression, since, summary }) => [
    name,
    summary,
    `\`${expression}\``,
    since,
  ]);
  return `## Alerts\n\n${table(['alert', 'meaning', 'expression', 'for'], rows)}`;
}

/** Returns a table with its columns aligned, as all pages have them. */
function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = heads.map((head, column) =>
    Math.max(head.length, ...rows.map((row) => (row[column] ?? '').length)),
  );
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const rule = widths.map((width) => '-'.repeat(width));
  return `${[line(heads), line(rule), ...rows.map(line)].join('\n')}\n`;
}
