import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { TestServer } from '../start-server.ts';

/** The mails in the folder, once there are so many. */
export async function mails(server: TestServer, count: number): Promise<string[]> {
  const folder = join(server.data, 'mail');
  const names = () =>
    existsSync(folder) ? readdirSync(folder).filter((name) => /^[^.].*\.eml$/.test(name)) : [];
  const namesLater = () => {
    // Entries that are due are delivered as the clock advances.
    server.clock.advance(1);
    return names();
  };
  await expect.poll(namesLater).toHaveLength(count);
  return names()
    .sort()
    .map((name) => readFileSync(join(folder, name), 'utf8'));
}
