import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { confab } from '../../support/processes/run.ts';
import { type ServerProcess, startProcess } from '../../support/processes/start-process.ts';
import { temporaryFolder } from '../../support/scratch.ts';

test('a server backs itself up after its first start, verifies it, and knows of it after a restart', async () => {
  const to = join(temporaryFolder(), 'backups');
  const server = await startProcess({ CONFAB_BACKUP_TO: to, CONFAB_LOG_LEVEL: 'info' });
  const made = await logged(server, 'a backup was made and verified');
  const [name = ''] = readdirSync(to);
  expect(made).toMatchObject({ backup: join(to, name), removed: [] });
  expect(await confab(to, 'backup', 'verify', '--from', join(to, name))).toMatchObject([
    { is_whole: true, realms: [{ string_id: 'demo' }] },
  ]);
  const [status] = await confab(server.data, 'backup', 'status');
  expect(status).toMatchObject({ backup: join(to, name), last_failure: null, why: null });
  await server.end('SIGTERM');
  const kept = { to: null, ...without(status, 'to') };
  expect(await confab(server.data, 'backup', 'status')).toEqual([kept]);
  await server.start();
  expect(await confab(server.data, 'backup', 'status')).toEqual([status]);
});

test('a backup that fails is logged with its cause and without keys, and the server goes on', async () => {
  const server = await startProcess({
    CONFAB_BACKUP_TO: 's3://backups/confab',
    CONFAB_S3_ENDPOINT: 'http://127.0.0.1:1',
    CONFAB_S3_ACCESS_KEY_ID: 'name-of-a-key',
    CONFAB_S3_SECRET_ACCESS_KEY: 'secret-of-a-key',
  });
  const failed = await logged(server, 'a backup failed');
  expect(failed).toMatchObject({
    reason: expect.stringMatching(/^http:\/\/127\.0\.0\.1:1 cannot be reached: .*ECONNREFUSED/),
    again: expect.stringMatching(/^\d{4}-/),
  });
  expect(failed).not.toHaveProperty('err');
  const [status] = await confab(server.data, 'backup', 'status');
  expect(status).toMatchObject({ last_success: null, why: expect.stringMatching(/ECONNREFUSED/) });
  expect(`${server.stderr()}${JSON.stringify(status)}`).not.toMatch(/secret-of|name-of/);
  expect((await server.get(null, '/server_settings')).status).toBe(200);
});

test('a server that is stopped during a backup gives it up and leaves nothing of it', async () => {
  const to = temporaryFolder();
  const server = await startProcess({ CONFAB_BACKUP_TO: to });
  // Copying as much takes a while.
  writeFileSync(join(server.data, 'demo-credentials.json'), Buffer.alloc(150_000_000, 1));
  await expect.poll(() => readdirSync(to).length).toBe(1);
  expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null });
  expect(readdirSync(to)).toEqual([]);
  expect(server.stderr()).toBe('');
});

/** Waits for a line of the log with this message. */
async function logged(server: ServerProcess, msg: string): Promise<Record<string, unknown>> {
  const lines = () =>
    server
      .stderr()
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  const line = () => lines().find((one) => one['msg'] === msg);
  await expect.poll(line).toBeDefined();
  return line() ?? expect.fail('it was there');
}

const without = (status: object | undefined, name: string) =>
  Object.fromEntries(Object.entries(status ?? {}).filter(([one]) => one !== name));
