import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import type { TestServer } from './start-server.ts';

/** The mails in the folder, once there are so many. */
export function mails(server: TestServer, count: number): Promise<string[]> {
  const folder = join(server.data, 'mail');
  return vi.waitFor(() => {
    // What is due is carried when time goes on.
    server.clock.advance(1);
    const names = readdirSync(folder).filter((name) => /^[^.].*\.eml$/.test(name));
    expect(names).toHaveLength(count);
    return names.sort().map((name) => readFileSync(join(folder, name), 'utf8'));
  });
}
