import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { FORMATS } from '../../src/imports/formats/formats.ts';
import { openArchiveSource } from '../../src/imports/sources/open-archive.ts';
import { builtFile } from '../support/processes/dist.ts';
import { confab, run } from '../support/processes/run.ts';
import { temporaryFolder } from '../support/scratch.ts';
import { startServer, type TestServer } from '../support/start-server.ts';
import { written } from './formats/imported.ts';
import { zipOf } from './sources/packed.ts';

const SLACK = {
  'users.json': [{ id: 'U1', name: 'ann', profile: { real_name: 'Ann', email: 'a@example.com' } }],
  'channels.json': [{ id: 'C1', name: 'tea', members: ['U1'] }],
  'tea/2024-01-02.json': [
    {
      user: 'U1',
      ts: '1704189600.0',
      text: 'one',
      reactions: [
        { name: 'party_parrot', users: ['U1'] },
        { name: 'tada', users: ['U1'] },
      ],
    },
    {
      user: 'U1',
      ts: '1704189601.0',
      text: 'two',
      reactions: [{ name: 'party_parrot', users: ['U1'] }],
    },
  ],
};

/** Writes files into a folder, and returns the path of one. */
function placed(name: string, bytes: Buffer | string): string {
  const path = join(temporaryFolder(), name);
  writeFileSync(path, bytes);
  return path;
}

/** Runs an import that is to fail; returns what it says, if it leaves nothing behind. */
async function refused(server: TestServer, format: string, path: string, ...more: string[]) {
  const TMPDIR = temporaryFolder();
  const { code, stdout, stderr } = await run(
    process.execPath,
    [builtFile('confab'), 'import', format, path, '--realm', 'fresh', ...more],
    { CONFAB_DATA: server.data, TMPDIR },
  );
  expect([stdout, readdirSync(TMPDIR)]).toEqual(['', []]);
  expect(server.app.realms.named('fresh')).toBeUndefined();
  expect(stderr).toMatch(/^confab: [^\n]+\n$/);
  return [code, stderr.slice('confab: '.length, -1)] as const;
}

test('what is no archive of the format is refused in a sentence', async () => {
  const zip = await written(SLACK, 'slack.zip');
  const nothing = join(temporaryFolder(), 'nothing');
  mkdirSync(nothing);
  const outside = placed('outside.zip', zipOf([{ name: 'users.json' }, { name: '../evil' }]));
  for (const [format, path, expected] of [
    ['slack', placed('a.zip', ''), /a\.zip is no zip, or was cut off: .{1,40}$/],
    ['zulip', placed('a.tar.gz', ''), /a\.tar\.gz is no tar, or is damaged: .{1,40}$/],
    ['irc', placed('a.log', 'nothing of use\n'), /^This is no log of IRC: .+ message\.$/],
    ['irc', nothing, /^This is no log of IRC: no file is named as one/],
    ['slack', nothing, /^This is no export of Slack: it has no file users\.json\.$/],
    ['slack', outside, /^a path leads out of the archive \(.*\.\.\/evil\)$/],
    ['mattermost', zip, /^This is no bulk export of Mattermost: it has no file \.jsonl\.$/],
    ['rocketchat', zip, /^This is no dump of Rocket\.Chat: /],
    ['discord', zip, /^This is no export of DiscordChatExporter: /],
  ] as const) {
    await expect(rowsIn(format, path), path).rejects.toThrow(expected);
  }
});

/** Reads an archive as an import does. */
async function rowsIn(format: keyof typeof FORMATS, path: string): Promise<void> {
  const archive = await openArchiveSource(path);
  onTestFinished(archive.close);
  for await (const _ of FORMATS[format]?.read(archive, {}) ?? []);
}

test('an import that is refused makes no realm, and leaves no file', async () => {
  const server = await startServer();
  const zip = await written(SLACK, 'slack.zip');
  expect(await refused(server, 'mattermost', zip)).toEqual([4, expect.any(String)]);
  const away = await refused(server, 'slack', '/nowhere.zip');
  expect(away).toEqual([3, 'there is no such file or folder (ENOENT, /nowhere.zip)']);
  const long = await refused(server, 'slack', zip, '--source', 'x'.repeat(300));
  expect(long).toEqual([2, expect.stringMatching(/^--source is wrong: .*200/)]);
});

test('reactions without an emoji are reported, each emoji once', async () => {
  const server = await startServer();
  const path = await written(SLACK, 'slack.zip');
  const of = { left_out: 'reaction', count: 2, name: 'party_parrot' };
  const [head, ...left] = await confab(server.data, 'import', 'slack', path, '--realm', 'fresh');
  expect(head).toMatchObject({ realm: 'fresh', messages: 2, left_out: 2 });
  expect(String(head?.['url'])).toMatch(/^http:\/\/fresh\.localhost/);
  expect(left).toEqual([expect.objectContaining(of)]);
});

test('a reader of the output that goes away early is no bug', async () => {
  const path = await written(SLACK, 'slack.zip');
  const child = spawn(process.execPath, [
    builtFile('confab'),
    ...['import', 'slack', path, '--realm', 'fresh', '--dry-run'],
  ]);
  child.stdout.destroy();
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  const [code] = await once(child, 'close');
  expect([code, said]).toEqual([0, '']);
});
