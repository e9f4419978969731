import { expect, test } from 'vitest';
import { openDirectory } from '../support/people/directory.ts';
import { startServer } from '../support/start-server.ts';
import { ENTRA } from './published/entra.ts';
import { OTHERS } from './published/okta-and-authentik.ts';
import { RFC_BULK } from './published/rfc-bulk.ts';
import { RFC_CHANGES } from './published/rfc-changes.ts';
import { RFC_READING } from './published/rfc-reading.ts';

const CASES = [...RFC_READING, ...RFC_CHANGES, ...RFC_BULK, ...OTHERS, ...ENTRA];

test('published cases hold, on one server', async () => {
  const server = await startServer();
  const { ask } = await openDirectory(server);
  const failed: unknown[] = [];
  for (const [number, { source, title, run }] of CASES.entries()) {
    const mine = { name: `Case${number}`, email: `case${number}@example.com` };
    await run(ask, mine).catch((error: unknown) => void failed.push({ source, title, error }));
  }
  expect(failed).toEqual([]);
  expect(server.bugs).toEqual([]);
});
