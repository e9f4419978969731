import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pino } from 'pino';
import { expect, onTestFinished } from 'vitest';
import { runCommand } from '../../src/admin/commands.ts';
import type { Statfs } from '../../src/admin/free-space.ts';
import { type App, startApp } from '../../src/app.ts';
import { readSettings } from '../../src/config.ts';
import type { RealmSettings } from '../../src/domain/wire/settings/realm-settings.ts';
import { SERIALIZERS } from '../../src/log.ts';
import type { RealmTransaction, Site } from '../../src/operations/access/caller.ts';
import * as subscriptions from '../../src/operations/channels/subscriptions.ts';
import { type Client, openClient } from './client.ts';
import { type LoggedRealms, openLoggedRealms } from './cluster/logged-realms.ts';
import { filesEnv } from './files/object-service.ts';
import { type KeptFolder, keepFolder } from './kept-folder.ts';
import { LIMITS_OF_TESTS } from './limits-of-tests.ts';
import { PUBLIC_CHANNEL } from './new-channel.ts';
import { makeScratch } from './scratch.ts';
import { type TestClock, testClock } from './test-clock.ts';
import { PEOPLE, type Person, type PersonName } from './users.ts';

/**
 * A real server on a free port, with an empty store and one realm of people; stopped when the test
 * ends.
 */
export interface TestServer extends Client {
  readonly app: App;
  readonly url: string;
  readonly data: string;
  readonly clock: TestClock;
  readonly people: Readonly<Record<PersonName, Person>>;
  /** Bugs that were logged; a test that causes none expects none. */
  readonly bugs: string[];
  /** The lines that it has logged as warnings. */
  readonly warnings: string[];
  /** The log of its realms, if they have one. */
  readonly logged: LoggedRealms | undefined;
  /** A further realm with one administrator. */
  addRealm(name: string): Promise<Client & { readonly admin: Person }>;
  /** Stores a setting of the realm, as its administrators would. */
  set(name: keyof RealmSettings, value: unknown): Promise<void>;
  /** Runs an operation in the realm: for what no endpoint does (yet). */
  perform<Reply>(operation: (tx: RealmTransaction, site: Site) => Reply): Promise<Reply>;
  /** Moves the clock; whatever is done after it is done at the new time. */
  advance(ms: number): Promise<void>;
  /** The same in one leap: for days, of which a test has not the time for every second. */
  leap(ms: number): Promise<void>;
  /** Stops the server and starts it again on the same store and port, perhaps some time later. */
  restart(downMs?: number): Promise<void>;
  stop(): Promise<void>;
  /** Starts it again after `stop`. */
  start(): Promise<void>;
}

interface StartOptions {
  readonly env?: Record<string, string>;
  /** Channels that everyone is subscribed to; the first test user owns them. */
  readonly channels?: readonly string[];
  readonly logBytesMax?: number;
  /** For how long a commit takes operations; by default for as long as there are any. */
  readonly commitMsMax?: number;
  /** Tells how full the disk is; by default nobody looks. */
  readonly statfs?: Statfs;
  /** By default a folder of its own. */
  readonly data?: string;
  /** Realms commit through a log in memory, and are compared with replicas at the end. */
  readonly isLogged?: boolean;
}

/** The level of warnings in lines of the log. */
const WARNING = 40;

/**
 * A run of the tests may be of clusters of one server, whose realms commit through a log in memory:
 * then each store is compared with a replica that has followed the log.
 */
// biome-ignore lint/style/noProcessEnv: it is for the run of the tests, and no setting.
const isLogged = process.env['TEST_LOG'] === 'memory';
/** A replica may have to follow thousands of commits. */
const FOLLOWING_MS_MAX = 60_000;

export async function startServer(options: StartOptions = {}): Promise<TestServer> {
  const data = options.data ?? makeScratch();
  const known = options.data === undefined && options.env === undefined ? await usual() : undefined;
  known?.folder.writeTo(data);
  const clock = testClock();
  const bugs: string[] = [];
  const warnings: string[] = [];
  const logged =
    (options.isLogged ?? isLogged)
      ? openLoggedRealms(join(data, 'realms'), () => clock.now())
      : undefined;
  let port = 0;
  let app = await start();
  port = app.port;

  function start() {
    const env = {
      CONFAB_DATA: data,
      CONFAB_PORT: String(port),
      CONFAB_DEMO: '0',
      CONFAB_OPERATOR: 'off',
      // The free space of the machine that tests does not matter.
      CONFAB_MIN_FREE_MIB: options.statfs === undefined ? '0' : '',
      ...LIMITS_OF_TESTS,
      ...filesEnv(data),
      // biome-ignore lint/style/noProcessEnv: a run of the tests may be with gateways.
      CONFAB_GATEWAYS: process.env['CONFAB_GATEWAYS'] ?? '0',
      ...options.env,
    };
    const log = pino(
      { level: 'warn', serializers: SERIALIZERS },
      {
        write(line: string) {
          const { level } = JSON.parse(line) as { level: number };
          (level === WARNING ? warnings : bugs).push(line);
        },
      },
    );
    return startApp({
      settings: readSettings(env),
      log,
      onFatal: (error) => void bugs.push(`fatal: ${String(error)}`),
      clock,
      // The load of the machine must not decide which operations share a commit.
      commitMsMax: options.commitMsMax ?? Number.POSITIVE_INFINITY,
      ...(logged === undefined ? {} : { commitLogOf: logged.claim() }),
      ...(options.statfs === undefined ? {} : { statfs: options.statfs }),
      ...(options.logBytesMax === undefined ? {} : { logBytesMax: options.logBytesMax }),
    });
  }

  let isStopped = false;
  const stop = async () => {
    if (isStopped) return;
    isStopped = true;
    await app.stop();
  };
  onTestFinished(async () => {
    await stop();
    const differences = await logged?.differences();
    logged?.close();
    rmSync(data, { recursive: true, force: true });
    expect(differences ?? []).toEqual([]);
  }, FOLLOWING_MS_MAX);

  const people = known?.people ?? (await makeRealm(app));
  const client = openClient(() => app.port, 'test.localhost');
  if (options.channels !== undefined) await subscribeAll(app, people, options.channels);
  return {
    ...client,
    get app() {
      return app;
    },
    url: app.url,
    data,
    clock,
    people,
    bugs,
    warnings,
    logged,
    stop,
    async set(setting, value) {
      await runCommand(app.realms, 'realm set', { realm: 'test', setting, value });
    },
    async perform(operation) {
      const realm = app.realms.named('test');
      if (realm === undefined) throw new Error('the test realm is gone');
      return realm.perform((tx) => operation(tx, app.realms.siteOf(realm)));
    },
    async advance(ms) {
      clock.advance(ms);
      await settled(app);
    },
    async leap(ms) {
      clock.leap(ms);
      await settled(app);
    },
    async addRealm(name) {
      await runCommand(app.realms, 'realm create', { name });
      const admin = await addPerson(app, { realm: name, name: 'eve', role: 'administrator' });
      return { ...openClient(() => app.port, `${name}.localhost`), admin };
    },
    async start() {
      app = await start();
      isStopped = false;
    },
    async restart(downMs = 0) {
      await app.stop();
      clock.leap(downMs);
      app = await start();
    },
  };
}

/** Resolves when what is due is done: upkeep may wait for its turn by the time of the machine. */
async function settled({ realms }: App) {
  const { background } = realms.load();
  do {
    // An operation that begins now may still join a commit that began on the way.
    await realms.named('test')?.perform(() => undefined);
  } while (background.waiting > 0 && (await delay(1, true)));
}

interface Usual {
  /** The data directory of a server on which nothing was done. */
  readonly folder: KeptFolder;
  readonly people: Readonly<Record<PersonName, Person>>;
}

let made: Promise<Usual> | undefined;

/** The realm that nearly every test begins with is made once in a process that tests. */
function usual(): Promise<Usual> {
  made ??= makeUsual();
  return made;
}

async function makeUsual(): Promise<Usual> {
  const data = makeScratch();
  try {
    const app = await startApp({
      settings: readSettings({
        CONFAB_DATA: data,
        CONFAB_PORT: '0',
        CONFAB_DEMO: '0',
        CONFAB_OPERATOR: 'off',
        CONFAB_MIN_FREE_MIB: '0',
        ...LIMITS_OF_TESTS,
      }),
      log: pino({ level: 'silent' }),
      onFatal: (error) => {
        throw error;
      },
      clock: testClock(),
      commitMsMax: Number.POSITIVE_INFINITY,
    });
    const people = await makeRealm(app);
    await app.stop();
    return { folder: keepFolder(data), people };
  } finally {
    rmSync(data, { recursive: true, force: true });
  }
}

async function makeRealm(app: App): Promise<Record<PersonName, Person>> {
  await runCommand(app.realms, 'realm create', { name: 'test' });
  const people: Record<string, Person> = {};
  for (const { name, fullName, role } of PEOPLE) {
    people[name] = await addPerson(app, { realm: 'test', name, fullName, role });
  }
  const [bot] = await runCommand(app.realms, 'bot create', {
    realm: 'test',
    email: 'bot@example.com',
    name: 'Test Bot',
    owner: 'ona@example.com',
  });
  people['bot'] = personOf('Test Bot', bot);
  return people as Record<PersonName, Person>;
}

async function addPerson(
  app: App,
  person: { realm: string; name: string; role: string; fullName?: string },
): Promise<Person> {
  const fullName = person.fullName ?? `Test ${person.name}`;
  const [line] = await runCommand(app.realms, 'user create', {
    realm: person.realm,
    email: `${person.name}@example.com`,
    name: fullName,
    role: person.role,
  });
  return personOf(fullName, line);
}

function personOf(fullName: string, line: object | undefined): Person {
  const { user_id, email, api_key } = line as { user_id: number; email: string; api_key: string };
  return { id: user_id, email, fullName, apiKey: api_key };
}

/**
 * Subscribes people without the messages that the notification bot writes on such occasions, so
 * that ids of messages begin with a test's own.
 */
async function subscribeAll(
  app: App,
  people: Readonly<Record<PersonName, Person>>,
  names: readonly string[],
) {
  const realm = app.realms.named('test');
  if (realm === undefined) throw new Error('the test realm is gone');
  await realm.perform((tx) => {
    const everyone = Object.values(people)
      .map(({ id }) => tx.users.get([id]))
      .filter((user) => user !== undefined);
    const owner = everyone.find(({ id }) => id === people.ona.id);
    if (owner === undefined) throw new Error('the test realm has no owner');
    subscriptions.subscribe(tx, owner, {
      channels: names.map((name) => ({ name, description: '' })),
      principals: everyone,
      site: app.realms.siteOf(realm),
      areRefusalsFatal: true,
      creation: PUBLIC_CHANNEL,
    });
  });
}
