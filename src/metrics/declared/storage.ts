import { counter, type Declaration, gauge, labelled, type RealmFigures } from '../declaration.ts';
import { ACTIVE_WINDOWS, STORE_KINDS } from '../labels.ts';
import { answersOf, RESULTS } from './answers.ts';

const realmLabels = new Map<string, { readonly realm: string }>();

/** Returns the label of a realm, the same object at each scrape. */
function labelsOf(realm: string) {
  const known = realmLabels.get(realm) ?? { realm };
  realmLabels.set(realm, known);
  return known;
}

/** A gauge by realm, for operators who want them. */
const byRealm = (
  name: string,
  what: string,
  field: Exclude<keyof RealmFigures, 'realm'>,
): Declaration => ({
  name,
  help: `${what}, by realm, with CONFAB_METRICS_REALMS=1.`,
  type: 'gauge',
  row: 'storage',
  labels: { realm: [] },
  factor: 1,
  read: ({ state }) =>
    state.byRealm.map((figures) => ({ labels: labelsOf(figures.realm), value: figures[field] })),
});

const UPLOADS = ['postUserUploads', 'resumableUpload'];

export const STORAGE: readonly Declaration[] = [
  labelled(
    'gauge',
    {
      name: 'confab_store_bytes',
      help: 'Bytes of all realms: rows, free pages of the stores, uploaded files; twice a minute.',
      row: 'storage',
    },
    ['kind', STORE_KINDS],
    ({ state }) => state.storeBytes,
  ),
  gauge(
    {
      name: 'confab_store_oldest_reader_seconds',
      help: 'Time for which the oldest reader of a store has kept pages from being reused.',
      row: 'storage',
    },
    ({ state }) => state.oldestReaderMs / 1_000,
  ),
  gauge(
    {
      name: 'confab_copies_differing',
      help: 'Stores that differed from those of other nodes when this node last compared a shard at night.',
      row: 'storage',
    },
    ({ recorders: { copies } }) => copies.differing,
  ),
  gauge(
    {
      name: 'confab_copies_not_compared',
      help: 'Stores and nodes that could not be compared at that time.',
      row: 'storage',
    },
    ({ recorders: { copies } }) => copies.notCompared,
  ),
  gauge(
    {
      name: 'confab_copies_compared_timestamp_seconds',
      help: 'When this node last compared the copies of a shard at night, in UNIX seconds.',
      row: 'storage',
    },
    ({ recorders: { copies } }) => (copies.comparedAt === null ? null : copies.comparedAt / 1_000),
  ),
  gauge(
    {
      name: 'confab_disk_free_bytes',
      help: 'Bytes that are free on the disk of the data directory, if it is watched.',
      row: 'storage',
    },
    ({ state }) => state.diskFree?.bytes ?? null,
  ),
  gauge(
    {
      name: 'confab_disk_free_ratio',
      help: 'The free share of the disk of the data directory, if it is watched.',
      row: 'storage',
    },
    ({ state }) => state.diskFree?.share ?? null,
  ),
  labelled(
    'counter',
    {
      name: 'confab_uploads_total',
      help: 'Requests that upload a file or a part of one, by their result.',
      row: 'storage',
    },
    ['result', RESULTS],
    ({ recorders }) => answersOf(recorders, UPLOADS),
  ),
  counter(
    {
      name: 'confab_upload_bytes_total',
      help: 'Bytes of uploads, as they arrive.',
      row: 'storage',
    },
    ({ recorders }) => recorders.http.uploadedBytes,
  ),
  labelled(
    'gauge',
    { name: 'confab_realms', help: 'Realms by their state.', row: 'storage' },
    ['state', ['open', 'closed', 'unserved']],
    ({ state }) => state.realms,
  ),
  labelled(
    'gauge',
    {
      name: 'confab_users_active',
      help: 'People who used a key in the last days, of all realms; counted each hour.',
      row: 'storage',
    },
    ['window', ACTIVE_WINDOWS],
    ({ state }) => state.usersActive,
  ),
  gauge(
    {
      name: 'confab_backup_last_success_timestamp_seconds',
      help: 'When the last backup was done, if one is known.',
      row: 'storage',
    },
    ({ state: { lastBackup } }) => (lastBackup.at === null ? null : lastBackup.at / 1_000),
  ),
  gauge(
    {
      name: 'confab_backup_duration_seconds',
      help: 'How long the last backup took, if one is known.',
      row: 'storage',
    },
    ({ state: { lastBackup } }) =>
      lastBackup.durationMs === null ? null : lastBackup.durationMs / 1_000,
  ),
  gauge(
    {
      name: 'confab_tls_expiry_timestamp_seconds',
      help: 'When the certificate ends, if the server speaks TLS.',
      row: 'storage',
    },
    ({ state }) => state.tlsExpiresAt,
  ),
  byRealm('confab_realm_messages', 'The id of the newest message', 'messages'),
  byRealm('confab_realm_users_active', 'People who used a key in the last 7 days', 'usersActive'),
  byRealm('confab_realm_bytes', 'Bytes of the store and of uploaded files', 'bytes'),
  byRealm('confab_realm_queues_attached', 'Event queues attached to a client', 'queuesAttached'),
];
