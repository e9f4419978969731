import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { runCommand } from '../../../src/admin/commands.ts';
import { SCHEMA_VERSION } from '../../../storage/schema.ts';
import { openClient } from '../../support/client.ts';
import { contentsOf, type Line, linesIn } from '../../support/files/archives.ts';
import { download } from '../../support/files/uploads.ts';
import { temporaryFolder } from '../../support/scratch.ts';
import { startServer } from '../../support/start-server.ts';
import type { Person } from '../../support/users.ts';

const ARCHIVES = resolve(import.meta.dirname, '../../fixtures/archives');

const person = z.object({
  id: z.int(),
  email: z.string(),
  fullName: z.string(),
  apiKey: z.string(),
});
const realm = z.object({
  people: z.record(z.string(), person),
  files: z.array(z.string()),
  messages: z.record(z.string(), z.int()),
});

/** A realm as an older version of this program archived it, and what its people have to have. */
const older = (schema: number) => ({
  file: join(ARCHIVES, `schema-${schema}.zip`),
  ...realm.parse(JSON.parse(readFileSync(join(ARCHIVES, `schema-${schema}.json`), 'utf8'))),
});

async function imported(file: string) {
  const server = await startServer();
  await server.leap(3_600_000);
  await runCommand(server.app.realms, 'realm import', { file, name: 'old' });
  return { server, client: openClient(() => server.app.port, 'old.localhost') };
}

test.each([16, 18])('an archive of schema %i is imported whole', async (schema) => {
  const { file } = older(schema);
  const { server } = await imported(file);
  const again = join(temporaryFolder(), 'again.zip');
  await runCommand(server.app.realms, 'realm export', { realm: 'old', file: again });
  const [before, after] = [await contentsOf(file), await contentsOf(again)];
  const manifestOf = (contents: typeof before) => JSON.parse(String(contents.get('manifest.json')));
  expect(manifestOf(before)).toMatchObject({ schema_version: schema, kind: 'whole' });
  expect(manifestOf(after)).toMatchObject({ schema_version: SCHEMA_VERSION, kind: 'whole' });

  for (const [path, bytes] of before) {
    if (path === 'manifest.json') continue;
    if (path.startsWith('files/'))
      expect([path, after.get(path)?.equals(bytes)]).toEqual([path, true]);
    // The row of the realm says which realm it is on this server.
    else if (path === 'tables/realm.jsonl') expect(linesIn(after, path)).toMatchObject([IMPORTED]);
    else {
      // The import itself is in the audit log, which the archive does not have.
      const lines = linesIn(after, path).filter(({ key }) => !isDeepStrictEqual(key, ['audit']));
      expect([path, lines]).toMatchObject([path, linesIn(before, path)]);
    }
  }
  expect(server.bugs).toEqual([]);
});

const PAGE = { anchor: 'oldest', num_after: 100, apply_markdown: false };
const IMPORTED = { row: { id: 2, stringId: 'old', formerIds: [1] } };

test('in a realm of the first archives people log in, read, search, fetch files, write and read on', async () => {
  const { file, people, messages, files } = older(16);
  const { server, client } = await imported(file);
  const { mel = expect.fail(), ona = expect.fail() } = people;
  const { state } = await client.register(ona);
  const all = (await client.get(mel, '/messages', PAGE)).body.messages as Line[];
  const ids = all.map(({ id }) => id);
  for (const name of ['plain', 'secret', 'moved', 'direct', 'poll', 'after']) {
    expect([name, ids.includes(messages[name])]).toEqual([name, true]);
  }
  expect(ids).not.toContain(messages['deleted']);
  const searched = { ...PAGE, narrow: [['search', 'first words']] };
  const found = (await client.get(mel, '/messages', searched)).body.messages as Line[];
  expect(found.map(({ id }) => id)).toContain(messages['plain']);
  for (const path of files) {
    const { status } = await download(server, path, { as: mel, host: 'old.localhost' });
    expect([path, status]).toEqual([path, 200]);
  }

  const hello = { type: 'stream', to: 'general', topic: 'new', content: 'hello' };
  const sent = await client.post(mel, '/messages', hello);
  expect(sent.status).toBe(200);
  expect(sent.body.id).toBeGreaterThan(Math.max(...ids));
  const later = await client.register(ona);
  expect(later.state.unread_msgs.count).toBe(state.unread_msgs.count + 1);
  expect(server.bugs).toEqual([]);
});

test('whom a group mentioned before there were mention sets is mentioned, beside whom it mentions since', async () => {
  const { file, people, messages } = older(18);
  const { server, client } = await imported(file);
  const {
    ada = expect.fail(),
    mel = expect.fail(),
    max = expect.fail(),
    gus = expect.fail(),
    ona = expect.fail(),
  } = people;
  const mentioning = async (as: Person) => {
    const { body } = await client.get(as, '/messages', { ...PAGE, narrow: [['is', 'mentioned']] });
    return (body.messages as Line[]).map(({ id }) => id);
  };
  const { mention, starred, edited, named, wildcard } = messages;
  expect(await mentioning(mel)).toEqual([mention, starred, edited, named, wildcard]);
  expect(await mentioning(gus)).toEqual([starred, wildcard]);
  const { unread_msgs, starred_messages } = (await client.register(mel)).state;
  expect(unread_msgs.mentions.toSorted()).toEqual(
    [mention, starred, edited, named, wildcard].toSorted(),
  );
  expect(starred_messages).toEqual([starred]);
  expect((await client.register(max)).state.unread_msgs.mentions).toEqual([starred, wildcard]);

  const again = { type: 'stream', to: 'general', topic: 'lunch', content: '@*team* once more' };
  const { id } = (await client.post(gus, '/messages', again)).body;
  expect(await mentioning(mel)).toEqual([mention, starred, edited, named, wildcard, id]);
  const realm = server.app.realms.named('old') ?? expect.fail();
  expect([...realm.reader.mentionSetMessages.keys({})]).toEqual([[1, id]]);

  const anyTime = { message_content_edit_limit_seconds: '"unlimited"' };
  const replies = [
    await client.patch(ona, '/realm', anyTime),
    await client.patch(ada, `/messages/${edited}`, { content: 'or later' }),
    await client.delete(ada, `/messages/${mention}`),
  ];
  expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(await mentioning(mel)).toEqual([starred, named, wildcard, id]);
  expect(await mentioning(max)).toEqual([starred, wildcard, id]);
  expect(server.bugs).toEqual([]);
});
