import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runCommand } from '../../src/admin/commands.ts';
import { openClient } from '../support/client.ts';
import {
  contentsOf,
  type Line,
  linesOf,
  packed,
  seal,
  setLines,
} from '../support/files/archives.ts';
import { temporaryFolder } from '../support/scratch.ts';
import { startServer } from '../support/start-server.ts';

const TO_TEAM = { type: 'stream', to: 'general', topic: 't', content: '@*team* hello' };

/**
 * Makes a realm in which one message mentions a group of four, and another one a group of three
 * others of its channel.
 */
async function withMentionSets() {
  const server = await startServer({ channels: ['general'] });
  const { ona, ada, mel, max, gus } = server.people;
  for (const [name, people] of [
    ['team', [ona, ada, mel, max]],
    ['trio', [mel, max, gus]],
  ] as const) {
    const members = people.map(({ id }) => id);
    await server.post(ada, '/user_groups/create', { name, description: '', members });
  }
  await server.post(ada, '/messages', TO_TEAM);
  await server.post(ada, '/messages', { ...TO_TEAM, content: '@*trio* hello' });
  const file = join(temporaryFolder(), 'realm.zip');
  await runCommand(server.app.realms, 'realm export', { realm: 'test', file });
  return { server, file };
}

const HOSTILE: readonly {
  why: string;
  table: string;
  edit: (lines: Line[]) => void;
  msg: RegExp;
}[] = [
  {
    why: 'a mention set in no order',
    table: 'crowds',
    edit: ([first]) => first.row.userIds.reverse(),
    msg: /its people are not in order/,
  },
  {
    why: 'a mention set with somebody twice',
    table: 'crowds',
    edit: ([first]) => first.row.userIds.unshift(first.row.userIds[0]),
    msg: /its people are not in order/,
  },
  {
    why: 'one of a mention set who does not know',
    table: 'user_crowds',
    edit: (lines) => lines.shift(),
    msg: /it has people who are not there/,
  },
  {
    why: 'the mention set of another group',
    table: 'group_crowds',
    edit: ([first, second]) => Object.assign(first.row, second.row),
    msg: /the mention set is one of others/,
  },
  {
    why: 'a mention set that is named twice',
    table: 'message_crowds',
    edit: ([first]) => first.row.crowdIds.push(first.row.crowdIds[0]),
    msg: /it has a mention set twice/,
  },
];

test('mention sets that no version of confab wrote are refused', async () => {
  const { server, file } = await withMentionSets();
  for (const { why, table, edit, msg } of HOSTILE) {
    const contents = await contentsOf(file);
    const lines = linesOf(contents, table);
    edit(lines);
    setLines(contents, table, lines);
    seal(contents);
    const importing = runCommand(server.app.realms, 'realm import', {
      file: await packed(contents),
      name: 'copy',
    });
    expect([why, await importing.then(() => 'imported', String)]).toEqual([
      why,
      expect.stringMatching(msg),
    ]);
  }
  expect(server.bugs).toEqual([]);
});

test('mention sets of an archive are used again, and go with their messages', async () => {
  const { server, file } = await withMentionSets();
  await runCommand(server.app.realms, 'realm import', { file, name: 'copy' });
  const client = openClient(() => server.app.port, 'copy.localhost');
  const { ada } = server.people;
  const { body } = await client.post(ada, '/messages', TO_TEAM);
  const { reader } = server.app.realms.named('copy') ?? expect.fail();
  const mentions = () => [...reader.mentionSetMessages.keys({})];
  const [[, first] = [], [, second] = [], ...rest] = mentions();
  expect(rest).toEqual([[2, expect.any(Number)]]);
  expect([first, second]).toEqual([expect.any(Number), body.id]);
  for (const id of [first, second, rest[0]?.[1]]) {
    expect((await client.delete(ada, `/messages/${id}`)).status).toBe(200);
  }
  const rows = [mentions(), [...reader.mentionSets.keys({})], [...reader.userMentionSets.keys({})]];
  expect(rows).toEqual([[], [], []]);
  expect(server.bugs).toEqual([]);
});
