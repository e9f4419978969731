import { pino } from 'pino';
import { expect, test } from 'vitest';
import { startApp } from '../../src/app.ts';
import { readSettings } from '../../src/config.ts';
import { isUnnamed } from '../../src/settings/addresses.ts';
import { temporaryFolder } from '../support/scratch.ts';

test.each([
  { env: {}, isTold: false },
  { env: { CONFAB_HOST: '0.0.0.0' }, isTold: true },
  { env: { CONFAB_HOST: '::' }, isTold: true },
  { env: { CONFAB_HOST: '0.0.0.0', CONFAB_DOMAIN: 'example.com' }, isTold: false },
  { env: { CONFAB_HOST: '0.0.0.0', CONFAB_PUBLIC_URL: 'https://example.com' }, isTold: false },
])('a server that other machines reach needs a name: $env', ({ env, isTold }) => {
  expect(isUnnamed(readSettings(env))).toBe(isTold);
});

test('the warning is one line at the start', async () => {
  const lines: string[] = [];
  const app = await startApp({
    settings: readSettings({
      CONFAB_HOST: '0.0.0.0',
      CONFAB_PORT: '0',
      CONFAB_DEMO: '0',
      CONFAB_OPERATOR: 'off',
      CONFAB_WEB: '0',
      CONFAB_DATA: temporaryFolder(),
    }),
    log: pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) }),
    onFatal: () => undefined,
  });
  await app.stop();
  expect(lines, lines.join('')).toHaveLength(1);
  expect(lines[0]).toMatch(/neither CONFAB_PUBLIC_URL nor CONFAB_DOMAIN/);
});
