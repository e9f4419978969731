import { createWriteStream, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { pack } from 'tar-stream';
import { expect } from 'vitest';
import { ZipFile } from 'yazl';
import { confab } from '../../support/processes/run.ts';
import { temporaryFolder } from '../../support/scratch.ts';
import type { TestServer } from '../../support/start-server.ts';
import type { Person } from '../../support/users.ts';
import type { Files } from './archive-in-memory.ts';

/** The smallest PNG there is. */
export const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

const bytesOf = (content: unknown): Buffer =>
  Buffer.isBuffer(content)
    ? content
    : Buffer.from(typeof content === 'string' ? content : JSON.stringify(content));

/** Writes an archive of these files: a folder, a zip, or a packed tar, by the end of its name. */
export async function written(files: Files, name: string): Promise<string> {
  const path = join(temporaryFolder(), name);
  if (name.endsWith('.zip')) {
    const zip = new ZipFile();
    for (const [entry, content] of Object.entries(files)) zip.addBuffer(bytesOf(content), entry);
    zip.end();
    await pipeline(zip.outputStream, createWriteStream(path));
  } else if (name.endsWith('.tgz')) {
    const tar = pack();
    for (const [entry, content] of Object.entries(files))
      tar.entry({ name: entry }, bytesOf(content));
    tar.finalize();
    await pipeline(tar, createGzip(), createWriteStream(path));
  } else {
    for (const [entry, content] of Object.entries(files)) {
      mkdirSync(dirname(join(path, entry)), { recursive: true });
      writeFileSync(join(path, entry), bytesOf(content));
    }
  }
  return path;
}

type Line = Record<string, unknown>;

/**
 * Runs the command on a running server: a dry run, which changes nothing, the import, and a second
 * one, which adds nothing. The store is sound afterwards. The dry run has the report of the import.
 */
export async function importOnce(
  server: TestServer,
  format: string,
  path: string,
): Promise<{ readonly report: Line[] }> {
  const command = ['import', format, path, '--realm', 'test'];
  const count = () => server.app.realms.named('test')?.reader.messages.count();
  const before = count();
  const dry = await confab(server.data, ...command, '--dry-run');
  expect(count()).toBe(before);
  const report = await confab(server.data, ...command);
  expect(reportOf(dry, report)).toEqual(report);
  const after = count();
  expect(after).toBe(Number(before) + Number(report[0]?.['messages']));
  const [again] = await confab(server.data, ...command);
  for (const what of ['users', 'groups', 'channels', 'messages', 'files']) {
    expect(again, what).not.toHaveProperty(what);
  }
  expect(count()).toBe(after);
  expect(await confab(server.data, 'check', '--realm', 'test')).toEqual([
    expect.objectContaining({ is_sound: true, faults: 0 }),
  ]);
  expect(server.bugs).toEqual([]);
  return { report };
}

/** A dry run has the report of the import, without the address of a realm that it did not make. */
export function reportOf([head, ...dry]: Line[], [{ url } = {}]: Line[]): Line[] {
  expect(head).not.toHaveProperty('url');
  return [{ ...head, is_dry_run: false, url }, ...dry];
}

export interface Shown {
  readonly id: number;
  readonly sender_full_name: string;
  readonly subject: string;
  readonly timestamp: number;
  readonly content: string;
  readonly flags: readonly string[];
  readonly reactions: readonly { readonly emoji_name: string; readonly user_id: number }[];
}

/** Reads the messages of a narrow, as Markdown, the oldest first. */
export async function messagesIn(
  server: TestServer,
  as: Person,
  narrow: readonly { readonly operator: string; readonly operand: unknown }[],
): Promise<readonly Shown[]> {
  const { status, body } = await server.get(as, '/messages', {
    narrow: JSON.stringify(narrow),
    anchor: 'oldest',
    num_before: 0,
    num_after: 100,
    apply_markdown: false,
  });
  expect(status).toBe(200);
  return body.messages as unknown as Shown[];
}

export const inChannel = (server: TestServer, as: Person, name: string) =>
  messagesIn(server, as, [{ operator: 'channel', operand: name }]);

/** Returns the id of the one account with this name. */
export function idNamed(server: TestServer, fullName: string): number {
  const users = server.app.realms.named('test')?.reader.users.range({}) ?? [];
  const found = Array.from(users, ([, user]) => user).filter((user) => user.fullName === fullName);
  expect(found, fullName).toHaveLength(1);
  return found[0]?.id ?? 0;
}
