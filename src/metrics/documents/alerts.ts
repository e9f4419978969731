import { LOG_BYTES_MAX } from '../../domain/limits/event-queues.ts';

/** A rule of Prometheus that tells the operator of a server that something is wrong. */
export interface Alert {
  readonly name: string;
  readonly expression: string;
  /** How long it has to be so, as Prometheus writes it. */
  readonly since: string;
  readonly severity: 'critical' | 'warning';
  readonly summary: string;
}

const p99 = (metric: string) =>
  `histogram_quantile(0.99, sum by (instance, le) (rate(${metric}_bucket[5m])))`;

const DAY_SECONDS = 86_400;
const LOG_BYTES_WARNED = 0.75 * LOG_BYTES_MAX;

export const ALERTS: readonly Alert[] = [
  {
    name: 'ConfabNotReady',
    expression: 'confab_ready == 0',
    since: '1m',
    severity: 'critical',
    summary: 'The server should be sent no requests; /readyz?verbose says why.',
  },
  {
    name: 'ConfabCommitsSlow',
    expression: `${p99('confab_commit_duration_seconds')} > 0.25`,
    since: '5m',
    severity: 'warning',
    summary: 'One commit in a hundred takes more than 250 ms: the disk is slow to sync.',
  },
  {
    name: 'ConfabLoopLate',
    expression: `${p99('nodejs_eventloop_delay_seconds')} > 0.2`,
    since: '5m',
    severity: 'warning',
    summary: 'The event loop is late by more than 200 ms: the server has too little of a core.',
  },
  {
    name: 'ConfabOperationsWait',
    expression: 'confab_operations_waiting > 5000',
    since: '1m',
    severity: 'warning',
    summary: 'More than 5,000 operations wait for a commit; beyond 50,000 they are refused.',
  },
  {
    name: 'ConfabDeliverySlow',
    expression: `${p99('confab_delivery_delay_seconds')} > 1`,
    since: '5m',
    severity: 'warning',
    summary: 'One message in a hundred takes more than a second to its last reader.',
  },
  {
    name: 'ConfabBug',
    expression: 'sum by (instance, where) (increase(confab_bugs_total[10m])) > 0',
    since: '0m',
    severity: 'warning',
    summary: 'The log has a bug.',
  },
  {
    name: 'ConfabRealmRestarted',
    expression: 'increase(confab_realm_restarts_total[10m]) > 0',
    since: '0m',
    severity: 'critical',
    summary: 'A bug stopped a realm, and it was started again; the log has the bug.',
  },
  {
    name: 'ConfabErrors',
    expression:
      'sum by (instance) (rate(confab_http_requests_total{code="5xx"}[5m]))' +
      ' / sum by (instance) (rate(confab_http_requests_total[5m])) > 0.001',
    since: '5m',
    severity: 'warning',
    summary: 'More than one answer in a thousand is a 5xx.',
  },
  {
    name: 'ConfabSocketsBehind',
    expression: 'confab_sockets_behind / confab_sockets > 0.01 and confab_sockets > 100',
    since: '5m',
    severity: 'warning',
    summary: 'One socket in a hundred does not take what is sent to it.',
  },
  {
    name: 'ConfabLogLarge',
    expression: `confab_log_bytes > ${LOG_BYTES_WARNED}`,
    since: '15m',
    severity: 'warning',
    summary: 'An event log has three quarters of its bound; then the slowest queues are ended.',
  },
  {
    name: 'ConfabDiskShort',
    expression: 'confab_disk_free_ratio < 0.1',
    since: '5m',
    severity: 'critical',
    summary: 'Less than a tenth of the disk is free; below 5 % nothing can be sent.',
  },
  {
    name: 'ConfabDiskFills',
    expression: `predict_linear(confab_disk_free_bytes[6h], ${DAY_SECONDS}) < 0`,
    since: '1h',
    severity: 'warning',
    summary: 'At the pace of the last six hours the disk is full in a day.',
  },
  {
    name: 'ConfabReaderOld',
    expression: 'confab_store_oldest_reader_seconds > 300',
    since: '1m',
    severity: 'warning',
    summary:
      'A reader, as of an export or a backup, has kept pages for 5 minutes: the store grows.',
  },
  {
    name: 'ConfabOutboxStuck',
    expression: 'confab_outbox_oldest_seconds > 900',
    since: '5m',
    severity: 'warning',
    summary: 'A mail, push or webhook has been tried for more than 15 minutes.',
  },
  {
    name: 'ConfabMailsPutOff',
    expression:
      'sum by (instance) (increase(confab_mails_in_total{result=~"busy|no_owner|fault"}[15m])) > 0',
    since: '30m',
    severity: 'warning',
    summary: 'For half an hour mails were not taken for now: the relay keeps them.',
  },
  {
    name: 'ConfabPushKeysRefused',
    expression:
      'sum by (instance) (increase(confab_push_answers_total{answer="keys refused"}[30m])) > 0',
    since: '5m',
    severity: 'warning',
    summary: 'A push service refuses the keys of this server; `confab push test` shows its answer.',
  },
  {
    name: 'ConfabSchedulerLate',
    expression: `${p99('confab_scheduler_late_seconds')} > 5`,
    since: '5m',
    severity: 'warning',
    summary: 'Scheduled messages and reminders are late by more than 5 s.',
  },
  {
    name: 'ConfabBackupOld',
    expression: `time() - confab_backup_last_success_timestamp_seconds > ${26 * 3_600}`,
    since: '10m',
    severity: 'warning',
    summary: 'The last backup is older than 26 hours.',
  },
  {
    name: 'ConfabCopiesDiffer',
    expression: 'confab_copies_differing > 0',
    since: '1m',
    severity: 'critical',
    summary: 'Nodes of a cluster have different copies of a realm; the log names them.',
  },
  {
    name: 'ConfabCertificateEnds',
    expression: `confab_tls_expiry_timestamp_seconds - time() < ${14 * DAY_SECONDS}`,
    since: '1h',
    severity: 'warning',
    summary: 'The certificate ends in less than 14 days.',
  },
  {
    name: 'ConfabDescriptorsShort',
    expression: 'process_open_fds / process_max_fds > 0.8',
    since: '5m',
    severity: 'warning',
    summary: 'Four fifths of the file descriptors are used; without any, nobody can connect.',
  },
  {
    name: 'ConfabCredentialsRefused',
    expression:
      'sum by (instance) (rate(confab_credentials_refused_total[1h]))' +
      ' > 10 * sum by (instance) (rate(confab_credentials_refused_total[1h] offset 1d))' +
      ' and sum by (instance) (rate(confab_credentials_refused_total[1h])) > 0.1',
    since: '10m',
    severity: 'warning',
    summary: 'Ten times as many credentials are refused as the day before.',
  },
];

/** Returns the rules as a file of Prometheus. JSON texts are texts of YAML as well. */
export function alertRules(): string {
  const quoted = (text: string) => JSON.stringify(text);
  const rules = ALERTS.flatMap(({ name, expression, since, severity, summary }) => [
    `      - alert: ${name}`,
    `        expr: ${quoted(expression)}`,
    `        for: ${since}`,
    `        labels: { severity: ${severity} }`,
    `        annotations: { summary: ${quoted(summary)} }`,
  ]);
  return [
    '# Written by `npm run docs`.',
    'groups:',
    '  - name: confab',
    '    rules:',
    ...rules,
    '',
  ].join('\n');
}
