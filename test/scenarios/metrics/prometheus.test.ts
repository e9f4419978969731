import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { freePort } from '../../../bench/servers/free-port.ts';
import { DECLARATIONS } from '../../../src/metrics/declarations.ts';
import { ALERTS } from '../../../src/metrics/documents/alerts.ts';
import { dashboard } from '../../../src/metrics/documents/dashboard.ts';
import { Histogram } from '../../../src/metrics/histogram.ts';
import { openRegistry } from '../../../src/metrics/registry.ts';
import { run } from '../../support/processes/run.ts';
import { temporaryFolder } from '../../support/scratch.ts';
import { startServer } from '../../support/start-server.ts';

const RULES = resolve(import.meta.dirname, '../../../docs/operating/confab-alerts.yml');
/** Its own tool comes with it. */
const hasPrometheus = spawnSync('prometheus', ['--version']).status === 0;

const NAMES: ReadonlySet<string> = new Set([
  ...DECLARATIONS.flatMap(({ name, type }) =>
    type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
  ),
  ...openRegistry({ delayMs: new Histogram(1), maxMs: () => 0 })
    .getMetricsAsArray()
    // Their type says nothing of it; names of a histogram are those of its parts.
    .flatMap(({ name, type }) =>
      String(type) === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
    ),
]);

/** The metrics in an expression: words of two and more parts that no bracket of labels has. */
const namesIn = (expression: string) =>
  Array.from(
    expression.replace(/"[^"]*"/g, '').matchAll(/\b(?:confab|process|nodejs)_[a-z0-9_]+/g),
    ([name]) => name,
  );

test('the alerts and the dashboard name only metrics that exist, and the dashboard has all of them', () => {
  const alerted = ALERTS.flatMap(({ expression }) => namesIn(expression));
  const { panels } = JSON.parse(dashboard()) as {
    panels: { type: string; targets?: { expr: string }[] }[];
  };
  const shown = panels.flatMap(({ targets = [] }) => targets.flatMap(({ expr }) => namesIn(expr)));
  expect(alerted.length).toBeGreaterThanOrEqual(ALERTS.length);
  expect([...alerted, ...shown].filter((name) => !NAMES.has(name))).toEqual([]);
  expect(panels.filter(({ type }) => type === 'row')).toHaveLength(8);
  const missing = DECLARATIONS.filter(
    ({ name, type }) => !shown.includes(type === 'histogram' ? `${name}_bucket` : name),
  );
  expect(missing).toEqual([]);
});

interface PanelOfDashboard {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly gridPos: {
    readonly x: number;
    readonly y: number;
    readonly w: number;
    readonly h: number;
  };
  readonly datasource?: { readonly type: string; readonly uid: string };
  readonly targets?: readonly { readonly refId: string; readonly expr: string }[];
}

test('the dashboard has the form that Grafana reads: ids, places that do not overlap, variables that are there', () => {
  const board = JSON.parse(dashboard()) as {
    readonly panels: readonly PanelOfDashboard[];
    readonly templating: {
      readonly list: readonly { readonly name: string; readonly type: string }[];
    };
  };
  const { panels } = board;
  const ids = panels.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.every((id) => Number.isInteger(id) && id > 0)).toBe(true);

  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) => {
    expect(x >= 0 && x + w <= 24).toBe(true);
    return Array.from({ length: w * h }, (_, n) => `${x + (n % w)}/${y + Math.floor(n / w)}`);
  });
  expect(new Set(cells).size).toBe(cells.length);

  const variables = board.templating.list.map(({ name }) => `$${name}`);
  expect(variables).toEqual(['$datasource', '$instance']);
  for (const { type, title, datasource, targets = [] } of panels) {
    expect(title).not.toBe('');
    if (type === 'row') continue;
    expect({ type, datasource }).toEqual({
      type: 'timeseries',
      datasource: { type: 'prometheus', uid: '$datasource' },
    });
    expect(targets.length).toBeGreaterThan(0);
    expect(new Set(targets.map(({ refId }) => refId)).size).toBe(targets.length);
    const used = targets.flatMap(({ expr }) => expr.match(/\$\w+/g) ?? []);
    expect(used.filter((name) => ![...variables, '$__rate_interval'].includes(name))).toEqual([]);
  }
});

/** A histogram of which each minute so many values come that are all at most the bound. */
const slow = (name: string, bound: string, all: readonly string[]) =>
  all.map((le, index) => ({
    series: `${name}_bucket{instance="a",le="${le}"}`,
    values: `0+${index >= all.indexOf(bound) ? 60 : 0}x120`,
  }));

const BOUNDS = ['0.131072', '0.262144', '0.524288', '1.048576', '2.097152', '4.194304', '8.388608'];
const WITH_LAST = [...BOUNDS, '+Inf'];

interface Case {
  readonly fires: readonly { readonly series: string; readonly values: string }[];
  readonly quiet: readonly { readonly series: string; readonly values: string }[];
}

const gauge = (series: string, bad: string, good: string): Case => ({
  fires: [{ series: `${series}{instance="a"}`, values: `${bad}x120` }],
  quiet: [{ series: `${series}{instance="a"}`, values: `${good}x120` }],
});

const counted = (series: string): Case => gauge(series, '0+1', '3+0');
const p99 = (name: string): Case => ({
  fires: slow(name, '8.388608', WITH_LAST),
  quiet: slow(name, '0.131072', WITH_LAST),
});

const putOffMails = 'confab_mails_in_total{instance="a",result="busy"}';
const refusedKeys = 'confab_push_answers_total{instance="a",kind="apns",answer="keys refused"}';

/** The recorded samples at which each alert fires within two hours, and at which it does not. */
const CASES: Readonly<Record<string, Case>> = {
  ConfabNotReady: gauge('confab_ready', '0+0', '1+0'),
  ConfabCommitsSlow: p99('confab_commit_duration_seconds'),
  ConfabLoopLate: p99('nodejs_eventloop_delay_seconds'),
  ConfabOperationsWait: gauge('confab_operations_waiting', '6000+0', '4000+0'),
  ConfabDeliverySlow: p99('confab_delivery_delay_seconds'),
  ConfabBug: counted('confab_bugs_total'),
  ConfabRealmRestarted: counted('confab_realm_restarts_total'),
  ConfabErrors: {
    fires: [
      { series: 'confab_http_requests_total{instance="a",code="2xx"}', values: '0+100x120' },
      { series: 'confab_http_requests_total{instance="a",code="5xx"}', values: '0+1x120' },
    ],
    quiet: [
      { series: 'confab_http_requests_total{instance="a",code="2xx"}', values: '0+10000x120' },
      { series: 'confab_http_requests_total{instance="a",code="5xx"}', values: '0+1x120' },
    ],
  },
  ConfabSocketsBehind: {
    fires: [
      { series: 'confab_sockets{instance="a"}', values: '1000+0x120' },
      { series: 'confab_sockets_behind{instance="a"}', values: '20+0x120' },
    ],
    quiet: [
      { series: 'confab_sockets{instance="a"}', values: '1000+0x120' },
      { series: 'confab_sockets_behind{instance="a"}', values: '5+0x120' },
    ],
  },
  ConfabLogLarge: gauge('confab_log_bytes', '3500000000+0', '1000000000+0'),
  ConfabDiskShort: gauge('confab_disk_free_ratio', '0.09+0', '0.2+0'),
  ConfabDiskFills: gauge('confab_disk_free_bytes', '10000000000-10000000', '10000000000-1'),
  ConfabReaderOld: gauge('confab_store_oldest_reader_seconds', '301+60', '200+0'),
  ConfabOutboxStuck: gauge('confab_outbox_oldest_seconds', '1000+60', '10+0'),
  ConfabMailsPutOff: {
    fires: [{ series: putOffMails, values: '0+1x120' }],
    quiet: [{ series: putOffMails, values: '3+0x120' }],
  },
  ConfabPushKeysRefused: {
    fires: [{ series: refusedKeys, values: '0+1x120' }],
    quiet: [{ series: refusedKeys, values: '3+0x120' }],
  },
  ConfabSchedulerLate: p99('confab_scheduler_late_seconds'),
  ConfabBackupOld: gauge('confab_backup_last_success_timestamp_seconds', '-100000+0', '0+60'),
  ConfabCopiesDiffer: gauge('confab_copies_differing', '1+0', '0+0'),
  ConfabCertificateEnds: gauge('confab_tls_expiry_timestamp_seconds', '100000+0', '9000000+0'),
  ConfabDescriptorsShort: {
    fires: [
      { series: 'process_open_fds{instance="a"}', values: '900+0x120' },
      { series: 'process_max_fds{instance="a"}', values: '1000+0x120' },
    ],
    quiet: [
      { series: 'process_open_fds{instance="a"}', values: '100+0x120' },
      { series: 'process_max_fds{instance="a"}', values: '1000+0x120' },
    ],
  },
  ConfabCredentialsRefused: {
    fires: [
      { series: 'confab_credentials_refused_total{instance="a"}', values: '0+1x1440 1440+100x120' },
    ],
    quiet: [
      {
        series: 'confab_credentials_refused_total{instance="a"}',
        values: '0+50x1440 72000+100x120',
      },
    ],
  },
};

test('every alert has samples at which it fires', () => {
  expect(Object.keys(CASES)).toEqual(ALERTS.map(({ name }) => name));
});

/**
 * Returns the test of one alert as a file of promtool. Samples come each minute, and all rules are
 * evaluated each fifth, since that is what takes the time.
 */
function rulesTest(name: string, { fires, quiet }: Case): string {
  const at = name === 'ConfabCredentialsRefused' ? '1550m' : '110m';
  const alert = ALERTS.find((one) => one.name === name);
  const labels = { severity: alert?.severity, instance: 'a' };
  const annotations = { summary: alert?.summary };
  const one = (series: Case['fires'], expected: readonly object[]) => ({
    interval: '1m',
    input_series: series,
    alert_rule_test: [{ eval_time: at, alertname: name, exp_alerts: expected }],
  });
  const tests = [
    one(fires, [{ exp_labels: labels, exp_annotations: annotations }]),
    one(quiet, []),
  ];
  return JSON.stringify({ rule_files: [RULES], evaluation_interval: '5m', tests });
}

describe.skipIf(!hasPrometheus)('with Prometheus', () => {
  test('its own tool accepts the rules', async () => {
    const { code, stdout } = await run('promtool', ['check', 'rules', RULES]);
    expect({ code, stdout }).toMatchObject({ code: 0 });
    expect(stdout).toContain(`${ALERTS.length} rules found`);
  });

  test('each alert fires at samples of its cause, and is quiet at others', async () => {
    const folder = temporaryFolder();
    const files = Object.entries(CASES).map(([name, one]) => {
      const file = join(folder, `${name}.yml`);
      writeFileSync(file, rulesTest(name, one));
      return file;
    });
    const { code, stdout, stderr } = await run('promtool', ['test', 'rules', ...files]);
    expect({ code, said: code === 0 ? '' : `${stdout}${stderr}` }).toEqual({ code: 0, said: '' });
  });

  test('it understands every expression of the dashboard and the alerts, and has answers of a server', async () => {
    const server = await startServer({
      channels: ['general'],
      env: { CONFAB_OPERATOR: '127.0.0.1:0', CONFAB_METRICS_REALMS: '1' },
    });
    const target = new URL(server.app.operatorUrl ?? '').host;
    const { ask, statusOf } = await startPrometheus(target);
    const message = { type: 'stream', to: 'general', topic: 'metrics', content: 'soup' };
    await expect
      .poll(async () => {
        await server.post(server.people.mel, '/messages', message);
        const asked = 'rate(confab_commits_total[5s]) > 0';
        return (await ask(`query?query=${encodeURIComponent(asked)}`)).data.result.length;
      })
      .toBe(1);
    const { panels } = JSON.parse(dashboard()) as {
      panels: { targets?: { expr: string }[] }[];
    };
    // Grafana puts in what it has chosen, before it asks.
    const shown = panels.flatMap(({ targets = [] }) =>
      targets.map(({ expr }) =>
        expr.replaceAll('$instance', target).replaceAll('$__rate_interval', '5s'),
      ),
    );
    const expressions = [...shown, ...ALERTS.map(({ expression }) => expression)];
    const statuses = await Promise.all(
      expressions.map(async (expression) => {
        return { expression, status: await statusOf(expression) };
      }),
    );
    expect(statuses.length).toBeGreaterThan(80);
    expect(statuses.filter(({ status }) => status !== 'success')).toEqual([]);
    expect(await statusOf('sum by (le (confab_ready)')).toBe('error');

    const answered = async (expression: string) =>
      (await ask(`query?query=${encodeURIComponent(expression)}`)).data.result.length > 0;
    const answers = await Promise.all(
      shown.map(async (expr) => ((await answered(expr)) ? '' : expr)),
    );
    // Nothing is known of a backup, a certificate, and a disk that is not watched, and there is no
    // cluster.
    const unknown = /backup|tls|disk|confab_(?:cluster|copies)_/;
    expect(answers.filter((expr) => expr !== '' && !unknown.test(expr))).toEqual([]);
  });

  test('it scrapes a server, and an alert fires when its cause is made', async () => {
    let free = 0.5;
    const disk = () => ({ bavail: free * 1e6, bfree: free * 1e6, blocks: 1e6, bsize: 4096 });
    const server = await startServer({
      env: { CONFAB_OPERATOR: '127.0.0.1:0' },
      statfs: () => Promise.resolve(disk()),
    });
    const { ask } = await startPrometheus(new URL(server.app.operatorUrl ?? '').host);
    const query = (text: string) => ask(`query?query=${encodeURIComponent(text)}`);
    const value = async (text: string) => (await query(text)).data.result[0]?.value[1];
    const firing = async () =>
      (await ask('alerts')).data.alerts
        .filter(({ state }: { state: string }) => state === 'firing')
        .map(({ labels }: { labels: { alertname: string } }) => labels.alertname);

    await expect.poll(() => value('up{job="confab"}')).toBe('1');
    await expect.poll(() => value('confab_ready')).toBe('1');
    await server.get(server.people.mel, '/users/me');
    await expect
      .poll(() => value('confab_http_requests_total{endpoint="getUsersMe",code="2xx"}'))
      .toBe('1');
    expect(await firing()).toEqual([]);

    free = 0.03;
    server.clock.advance(60_000);
    await expect
      .poll(firing)
      .toEqual(expect.arrayContaining(['ConfabNotReady', 'ConfabDiskShort']));

    free = 0.5;
    server.clock.advance(60_000);
    await expect.poll(firing).not.toContain('ConfabNotReady');
    expect(await value('confab_ready')).toBe('1');
  });
});

/** Starts Prometheus on the scrapes of one server, with rules that wait a second at most. */
async function startPrometheus(target: string) {
  const folder = temporaryFolder();
  const rules = join(folder, 'rules.yml');
  writeFileSync(rules, readFileSync(RULES, 'utf8').replaceAll(/for: \d+[mh]/g, 'for: 1s'));
  const config = join(folder, 'prometheus.yml');
  writeFileSync(
    config,
    JSON.stringify({
      global: { scrape_interval: '500ms', scrape_timeout: '500ms', evaluation_interval: '500ms' },
      rule_files: [rules],
      scrape_configs: [{ job_name: 'confab', static_configs: [{ targets: [target] }] }],
    }),
  );
  const store = join(folder, 'data');
  mkdirSync(store);
  const port = await freePort();
  const child = spawn(
    'prometheus',
    [
      `--config.file=${config}`,
      `--storage.tsdb.path=${store}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    { stdio: 'ignore' },
  );
  const ended = new Promise((resolve) => child.on('exit', resolve));
  onTestFinished(async () => {
    child.kill('SIGTERM');
    await ended;
  });
  return {
    // biome-ignore lint/suspicious/noExplicitAny: what a test expects of an answer is written there.
    async ask(path: string): Promise<any> {
      const none = { data: { result: [], alerts: [] } };
      const reply = await fetch(`http://127.0.0.1:${port}/api/v1/${path}`).catch(() => null);
      return reply?.ok ? await reply.json() : none;
    },
    /** Returns `error` for an expression that it cannot read. */
    async statusOf(expression: string): Promise<string> {
      const query = new URLSearchParams({ query: expression });
      const reply = await fetch(`http://127.0.0.1:${port}/api/v1/query?${query}`);
      const { status } = (await reply.json()) as { status: string };
      return status;
    },
  };
}
