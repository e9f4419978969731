import { join } from 'node:path';
import { pino } from 'pino';
import { inject, onTestFinished } from 'vitest';
import { type App, startApp } from '../../../src/app.ts';
import { readSettings } from '../../../src/config.ts';
import { type Client, openClient } from '../client.ts';
import { type KeptFolder, keepFolder } from '../kept-folder.ts';
import { LIMITS_OF_TESTS } from '../limits-of-tests.ts';
import { demoPeople } from '../processes/start-process.ts';
import { makeScratch, temporaryFolder } from '../scratch.ts';
import type { Person } from '../users.ts';

export interface DemoServer {
  readonly app: App;
  readonly client: Client;
  readonly data: string;
}

/** A server with the demo realm, whose people are known by the first part of their address. */
export interface DemoPlace extends Client {
  readonly data: string;
  readonly people: Readonly<Record<string, Person>>;
  port(): number;
}

/** Starts one in this process, which takes a tenth of the time of a process of its own. */
export async function startDemoHere(): Promise<DemoPlace> {
  // The files of the web client are beside the program, which does not run here.
  const { app, data, client } = await startDemo({
    CONFAB_WEB_DEV: join(inject('dist'), 'bundle/web'),
  });
  return { ...client, data, people: demoPeople(data), port: () => app.port };
}

/** Starts a server with the demo realm that a first start makes. */
export async function startDemo(env: Readonly<Record<string, string>> = {}): Promise<DemoServer> {
  made ??= makeDemo();
  const data = temporaryFolder();
  (await made).writeTo(data);
  const app = await start(data, env);
  onTestFinished(() => app.stop());
  return { app, data, client: openClient(() => app.port, 'demo.localhost') };
}

/** It is made once, because six passwords are hashed for it at the full cost. */
let made: Promise<KeptFolder> | undefined;

async function makeDemo(): Promise<KeptFolder> {
  const data = makeScratch();
  const app = await start(data, { CONFAB_DEMO: 'empty' });
  await app.stop();
  return keepFolder(data);
}

const start = (data: string, env: Readonly<Record<string, string>>) =>
  startApp({
    settings: readSettings({
      CONFAB_DATA: data,
      CONFAB_PORT: '0',
      CONFAB_OPERATOR: 'off',
      CONFAB_MIN_FREE_MIB: '0',
      ...LIMITS_OF_TESTS,
      ...env,
    }),
    log: pino({ level: 'silent' }),
    onFatal(error) {
      throw error;
    },
  });
