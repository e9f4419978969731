import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { runCommand } from '../../src/admin/commands.ts';
import { credentialsFile, readDemo } from '../../src/admin/demo-file.ts';
import { startApp } from '../../src/app.ts';
import { readSettings } from '../../src/config.ts';
import { temporaryFolder } from '../support/scratch.ts';

test('a directory without a realm gets the demo realm, with its keys in a file for the owner only', async () => {
  const data = temporaryFolder();
  const app = await start(data);
  const file = join(data, 'demo-credentials.json');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const demo = JSON.parse(readFileSync(file, 'utf8'));
  expect(Object.keys(demo)).toEqual(['base_url', 'realm', 'users']);
  expect(demo).toMatchObject({ base_url: `${app.url}/api/v1`, realm: 'demo' });
  for (const user of demo.users) {
    expect(user).toEqual({
      user_id: expect.any(Number),
      email: expect.stringContaining('@'),
      full_name: expect.any(String),
      role: expect.stringMatching(/^(owner|administrator|moderator|member|guest)$/),
      password: user.is_bot ? null : expect.any(String),
      password_hash: user.is_bot ? null : expect.stringMatching(/^\$argon2id\$/),
      api_key: expect.stringMatching(/^[0-9a-f]{32}$/),
      is_bot: user.user_id === 7,
    });
  }
  expect(new Set(demo.users.map((user: { api_key: string }) => user.api_key)).size).toBe(7);
});

test('a later start changes nothing but the address of the credentials', async () => {
  const data = temporaryFolder();
  await (await start(data)).stop();
  const before = readDemo(data, 'http://earlier') ?? expect.fail('there are credentials');
  await start(data);
  const after = readDemo(data, 'http://later');
  expect(after).toEqual({ ...before, base_url: 'http://later' });
  const file = join(data, 'demo-credentials.json');
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(after);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('there is no demo realm with CONFAB_DEMO=0, nor beside a realm of the operator', async () => {
  const data = temporaryFolder();
  const bare = await start(data, { CONFAB_DEMO: '0' });
  expect(bare.realms.all()).toEqual([]);
  expect(existsSync(join(data, 'demo-credentials.json'))).toBe(false);
  await runCommand(bare.realms, 'realm create', { name: 'acme' });
  await bare.stop();
  const later = await start(data);
  expect(later.realms.all().map(({ stringId }) => stringId)).toEqual(['acme']);
  expect(readDemo(data, later.url)).toBeUndefined();
});

test('a demo realm that a kill cut short is made again by the next start', async () => {
  const data = temporaryFolder();
  // This is the state when the process ends between writing the keys and the realm.
  mkdirSync(join(data, 'realms/.new-1'), { recursive: true });
  writeFileSync(join(data, 'demo-credentials.json'), '{"base_url":"","realm":"demo","users":[]}');
  const app = await start(data);
  expect(await runCommand(app.realms, 'user list', {})).toHaveLength(7);
  expect(readDemo(data, '')?.users).toHaveLength(7);
});

async function start(data: string, env: Readonly<Record<string, string>> = {}) {
  const app = await startApp({
    settings: readSettings({ CONFAB_DATA: data, CONFAB_PORT: '0', CONFAB_OPERATOR: 'off', ...env }),
    log: pino({ level: 'silent' }),
    onFatal: (error) => expect.fail(String(error)),
  });
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= app.stop();
    return stopped;
  };
  onTestFinished(stop);
  return { ...app, stop };
}

test.each(['', '{"base_url":', '[]'])('credentials that hold %j count as none', (content) => {
  const data = temporaryFolder();
  writeFileSync(credentialsFile(data), content);
  expect(readDemo(data, 'http://localhost')).toBeUndefined();
});
