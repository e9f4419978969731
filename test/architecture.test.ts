import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { circlesIn } from './support/circles.ts';

const ROOT = resolve(import.meta.dirname, '..');

/**
 * Lists the layers that each layer may import; the rest of `src` joins them and may import
 * anything.
 */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  'src/transport': [
    'src/endpoints',
    'src/events',
    'src/config.ts',
    'src/settings',
    'src/metrics',
    'src/domain',
  ],
  'src/endpoints': [
    'src/operations',
    'actors',
    'src/events',
    'src/integrations',
    'src/config.ts',
    'src/settings',
    'src/metrics',
    'src/domain',
  ],
  'src/workers': [
    'src/endpoints',
    'src/archives',
    'src/operations',
    'actors',
    'storage',
    'src/events',
    'src/markdown',
    'src/config.ts',
    'src/settings',
    'src/metrics',
    'src/domain',
  ],
  // Both gateways and nodes hand requests over, each in its own way.
  'src/forwarding': ['src/transport', 'src/endpoints', 'actors', 'src/config.ts', 'src/domain'],
  // The log and the bus know nothing of realms; the rest of the cluster joins all layers.
  'src/cluster/log': ['actors', 'src/domain'],
  'src/checks': ['src/archives', 'src/operations', 'storage', 'src/domain'],
  'src/backups': [
    'src/archives',
    'src/operations',
    'actors',
    'storage',
    'src/domain',
    'src/processes',
  ],
  'src/archives': ['src/operations', 'storage', 'src/domain'],
  'src/operations': [
    'storage',
    'src/events',
    'src/integrations',
    'src/markdown',
    'src/config.ts',
    'src/settings',
    'src/domain',
  ],
  actors: ['storage', 'src/events', 'src/metrics', 'src/domain'],
  storage: ['src/domain'],
  'src/events': ['src/domain'],
  // Tasks that have a process of their own, whatever they are.
  'src/processes': [],
  // The counts that the parts of the server add to; they are handed down, so nothing is below it.
  'src/metrics': ['src/domain'],
  'src/integrations': ['src/domain'],
  'src/markdown': ['src/domain'],
  // The settings of the server; only `main.ts` and its like have it read the environment.
  'src/config.ts': ['src/settings', 'src/domain'],
  'src/settings': ['src/domain'],
  'src/domain': [],
  // The page knows of its server only what it is answered.
  'web/console': ['src/console/wire.ts'],
  'src/console/wire.ts': [],
  // The web client knows of its server only what the library for clients tells it.
  'web/app': ['client', 'client/src/store', 'client/src/calls.ts'],
  // The client library knows of the server only what the API says.
  'client/src/store': ['client/src/calls.ts', 'client/src/generated'],
  'client/src/calls.ts': ['client/src/generated'],
  'client/src/generated': [],
  client: ['client/src/calls.ts', 'client/src/generated'],
};

/** The rooms of a layer from the bottom to the top: each may import those before it. */
const ROOMS: Readonly<Record<string, readonly string[]>> = {
  'src/operations': [
    'access',
    'indexes',
    'search',
    'files',
    'rendering',
    'users',
    'posting',
    'reading',
    'channels',
    'notifications',
    'personal',
    'groups',
    'bots',
    'realm',
    'second-steps',
    'accounts',
    'scim',
    'messages',
    'importing',
    'registration',
  ],
  actors: [
    'clock.ts',
    'send-or-throw.ts',
    'event-queue',
    'channel',
    'realm',
    'supervisor.ts',
    'shard.ts',
    'server.ts',
    'inspection.ts',
  ],
  // One folder is for both sides of the stream, and each side has one of its own.
  'src/gateways': ['counts', 'link', 'writing', 'serving', 'gateway.ts'],
  client: [
    'src/limits.ts',
    'src/errors.ts',
    'src/emitter.ts',
    'src/pause.ts',
    'src/scope.ts',
    'src/gate.ts',
    'src/connection',
    'src/requests.ts',
    'src/outbox',
    'src/file.ts',
    'src/chat.ts',
    'src/index.ts',
  ],
  'web/console': ['format.ts', 'store', 'plots.ts', 'parts', 'views', 'frame.tsx', 'main.tsx'],
  // The stores know neither the document nor the network: what they need is handed to them.
  'web/app': ['store', 'net', 'parts', 'views', 'main.tsx'],
  'src/domain': [
    'limits',
    'ascending.ts',
    'request-host.ts',
    'fair-queue.ts',
    'background-turns.ts',
    'lines.ts',
    'once-per-key.ts',
    'recently-used.ts',
    's3-address.ts',
    'times-of-day.ts',
    'version.ts',
    'wire',
    'rules/messages',
    'rules/texts',
    'rules/files',
    'rules/search',
    'rules/people',
    'rules/realm',
    'scim',
  ],
};

/** Types that only their own folder may name, as code that has one of them can write. */
const ONLY_WRITABLE_IN: Readonly<Record<string, string>> = {
  QueueFields: 'actors/event-queue',
  QueueRecord: 'actors/event-queue',
  ChannelFields: 'actors/channel',
};

/** Packages that only these places may use. */
const ONLY_IN: Readonly<Record<string, readonly string[]>> = {
  '@btc-vision/uwebsockets.js': ['src/transport/library'],
  xstate: ['actors', 'src/app.ts'],
  lmdb: ['storage'],
  yazl: ['src/archives'],
  yauzl: ['src/archives', 'src/imports/sources'],
  aws4: ['storage/objects/s3-client.ts'],
  '@nats-io/jetstream': ['src/cluster/log/nats'],
  '@nats-io/kv': ['src/cluster/log/nats'],
  '@nats-io/transport-node': ['src/cluster/log/nats'],
  'lru-cache': ['src/domain/recently-used.ts'],
  'prom-client': ['src/metrics/registry.ts'],
  preact: ['web'],
  uplot: ['web/console/plots.ts'],
};

/** More files than this nobody takes in at a glance. */
const FILES_PER_FOLDER_MAX = 20;
/** A series that is read by its numbers may be longer: decisions, migrations. */
const NUMBERED = /^\d{4}-/;

const files = ['src', 'actors', 'storage', 'web', 'client/src'].flatMap((folder) =>
  filesIn(folder, ['.ts', '.tsx']),
);

test('nothing imports upwards', () => {
  const wrong = files.flatMap((file) => {
    const allowed = MAY_IMPORT[layerOf(file)];
    if (allowed === undefined) return [];
    return targetsOf(file)
      .filter((target) => layerOf(target) !== layerOf(file) && !allowed.includes(layerOf(target)))
      .map((target) => `${file} imports ${target}`);
  });
  expect(files.length).toBeGreaterThan(50);
  expect(wrong).toEqual([]);
});

test('within a layer no room imports one above it, and every file is in a room', () => {
  const wrong = files.flatMap((file) => {
    const layer = layerOf(file);
    if (ROOMS[layer] === undefined) return [];
    const floor = floorOf(file);
    if (floor < 0) return [`${file} is in no room`];
    return targetsOf(file)
      .filter((target) => layerOf(target) === layer && floorOf(target) > floor)
      .map((target) => `${file} imports ${target}`);
  });
  expect(wrong).toEqual([]);
});

test('no imports form a circle, be they of types alone', () => {
  expect(circlesIn(new Map(files.map((file) => [file, targetsOf(file)])))).toEqual([]);
});

test('the socket library, the store, xstate and others are each used in one place only', () => {
  const wrong = files.flatMap((file) =>
    importsOf(file)
      .filter((name) => ONLY_IN[name]?.every((place) => !file.startsWith(place)))
      .map((name) => `${file} imports ${name}`),
  );
  expect(wrong).toEqual([]);
});

test('the client library needs no package, and Node for its files alone', () => {
  const own = files.filter((file) => file.startsWith('client/src/'));
  const needed = own.flatMap((file) =>
    importsOf(file)
      .filter((name) => !name.startsWith('.'))
      .map((name) => `${file} imports ${name}`),
  );
  expect(own.length).toBeGreaterThan(20);
  expect(needed.filter((line) => !line.startsWith('client/src/file.ts imports node:'))).toEqual([]);
});

test('the fields of an event queue and of a channel are written in their own folders only', () => {
  const wrong = files.flatMap((file) => {
    const text = readFileSync(join(ROOT, file), 'utf8');
    return Object.entries(ONLY_WRITABLE_IN)
      .filter(([type, folder]) => !file.startsWith(`${folder}/`) && text.includes(type))
      .map(([type]) => `${file} names ${type}`);
  });
  expect(wrong).toEqual([]);
  // A file without these names has the readonly type, and the compiler refuses an assignment.
  const queue = readFileSync(join(ROOT, 'actors/event-queue/queue.ts'), 'utf8');
  expect(queue).toContain('export type AttachedQueue = Readonly<QueueFields>;');
  expect(queue).toContain('export type DetachedQueue = Readonly<QueueRecord>;');
});

test('each file of the actors has a test of its own, at the same path', () => {
  const actors = filesIn('actors', ['.ts']);
  const isTested = (file: string) =>
    existsSync(join(ROOT, 'test', file.replace(/\.ts$/, '.test.ts')));
  expect(actors.length).toBeGreaterThan(25);
  expect(actors.filter((file) => !isTested(file))).toEqual([]);
});

test('a folder holds no more files than one takes in', () => {
  const counts = new Map<string, number>();
  const roots = [
    'src',
    'actors',
    'storage',
    'web',
    'client/src',
    'bench',
    'test',
    'docs',
    'packaging',
  ];
  for (const root of roots) {
    for (const file of filesIn(root, ['.ts', '.tsx', '.mjs', '.py', '.md', '.txt'])) {
      // Recordings of what services sent are not counted.
      if (file.startsWith('test/fixtures/') || NUMBERED.test(basename(file))) continue;
      counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
    }
  }
  expect([...counts].filter(([, count]) => count > FILES_PER_FOLDER_MAX)).toEqual([]);
});

function filesIn(folder: string, endings: readonly string[]): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => endings.some((ending) => name.endsWith(ending)))
    .map((name) => join(folder, name));
}

function layerOf(file: string): string {
  const layers = Object.keys(MAY_IMPORT);
  return layers.find((layer) => file === layer || file.startsWith(`${layer}/`)) ?? 'the joints';
}

/** Returns the position of a file's room in its layer; negative if it is in none. */
function floorOf(file: string): number {
  const layer = layerOf(file);
  const name = relative(layer, file);
  return (ROOMS[layer] ?? []).findIndex((room) => name === room || name.startsWith(`${room}/`));
}

/** Returns the files that a file imports, of whatever kind the import is. */
const targetsOf = (file: string) =>
  importsOf(file)
    .filter((name) => name.startsWith('.'))
    .map((name) => relative(ROOT, resolve(ROOT, dirname(file), name)));

/**
 * Returns the names of imports and exports, of values and of types, and of those by `import(…)`.
 */
const importsOf = (file: string) =>
  Array.from(
    readFileSync(join(ROOT, file), 'utf8').matchAll(/(?:\bfrom |\bimport |\bimport\()'([^']+)'/g),
    ([, name]) => name ?? '',
  );
