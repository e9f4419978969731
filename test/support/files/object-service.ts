import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { freePort } from '../../../bench/servers/free-port.ts';
import type { S3Settings } from '../../../storage/objects/s3-client.ts';
import { temporaryFolder } from '../scratch.ts';

/** The gateway makes a folder a service, each folder in which is a bucket. */
export const hasGateway = (): boolean => spawnSync('versitygw', ['--version']).status === 0;

export const BUCKET = 'backups';
const KEY = 'S3RVER';

export interface Gateway {
  readonly port: number;
  /** The folder of its bucket, in which each object is a file. */
  readonly folder: string;
  readonly s3: S3Settings;
  readonly env: Readonly<Record<string, string>>;
  /** Ends the service; its folder stays. */
  stop(): void;
  start(): Promise<void>;
}

/** Starts a service of S3-compatible storage that checks signatures, until the test ends. */
export async function startGateway(): Promise<Gateway> {
  const [buckets, metadata] = [temporaryFolder(), temporaryFolder()];
  const folder = join(buckets, BUCKET);
  mkdirSync(folder);
  const port = await freePort();
  const key = ['--access', KEY, '--secret', KEY];
  const args = [...key, '--port', `127.0.0.1:${port}`, 'posix', '--sidecar', metadata, buckets];
  let child: ReturnType<typeof spawn> | undefined;
  const stop = () => void child?.kill();
  onTestFinished(stop);
  const start = async () => {
    child = spawn('versitygw', args, { stdio: 'ignore' });
    const isUp = () =>
      fetch(`http://127.0.0.1:${port}/`).then(
        () => true,
        () => false,
      );
    await expect.poll(isUp, { timeout: 20_000 }).toBe(true);
  };
  await start();
  return { port, folder, ...keysFor(`http://127.0.0.1:${port}`, KEY), start, stop };
}

function keysFor(endpoint: string, key: string) {
  return {
    s3: {
      endpoint,
      region: 'us-east-1',
      accessKeyId: key,
      secretAccessKey: key,
      secretAccessKeyFile: null,
    },
    env: {
      CONFAB_S3_ENDPOINT: endpoint,
      CONFAB_S3_ACCESS_KEY_ID: key,
      CONFAB_S3_SECRET_ACCESS_KEY: key,
    },
  };
}

/**
 * A whole run of the tests may keep its files in such a service: `CONFAB_TEST_FILES` names its
 * address and the folder that it makes a bucket of, with a space in between.
 */
function givenService() {
  // biome-ignore lint/style/noProcessEnv: this is for who runs the tests.
  const { CONFAB_TEST_FILES: given } = process.env;
  const [endpoint, folder] = given?.split(' ') ?? [];
  return endpoint === undefined || folder === undefined ? undefined : { endpoint, folder };
}

/** Returns the settings of the files of a test server; none where they are in its directory. */
export function filesEnv(data: string): Record<string, string> {
  const service = givenService();
  if (service === undefined) return {};
  const { env } = keysFor(service.endpoint, KEY);
  return { ...env, CONFAB_FILES: `s3://${basename(service.folder)}/${basename(data)}` };
}

/** Returns the folder in which the uploads of the first realm of a test server are. */
export function uploadsFolder(data: string): string {
  const service = givenService();
  const root = service === undefined ? data : join(service.folder, basename(data));
  return join(root, 'realms', '1', 'uploads');
}
