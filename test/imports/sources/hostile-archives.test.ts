import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { ArchiveError } from '../../../src/archives/archive-error.ts';
import { HISTORY_ENTRIES_MAX } from '../../../src/domain/limits/archives.ts';
import { openTally } from '../../../src/imports/sources/checked-names.ts';
import { openArchiveSource } from '../../../src/imports/sources/open-archive.ts';
import { ownTemporaryFiles, temporaryFolder } from '../../support/scratch.ts';
import { opened, packed, tarHeader, tarOf, type ZipEntry, zipOf } from './packed.ts';

const MIB = 1024 * 1024;

const SYMLINK = 0o120777;

async function expectRefused(name: string, bytes: Buffer, why: RegExp) {
  const error = await opened(name, bytes).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ArchiveError);
  expect((error as Error).message).toMatch(why);
}

const PATHS: readonly (readonly [name: string, why: RegExp])[] = [
  ['../out.json', /path/],
  ['a/../../out.json', /path/],
  ['/etc/out.json', /path/],
  ['C:/out.json', /path/],
  ['..\\out.json', /path/],
  ['a\\..\\..\\out.json', /path/],
  ['nul\0.json', /a character that none may have/],
  ['line\n.json', /a character that none may have/],
  ['x'.repeat(1_025), /is too long/],
];

test.each(PATHS)('a zip with the path %j is refused', async (name, why) => {
  await expectRefused('a.zip', zipOf([{ name: 'a.json' }, { name }]), why);
});

test.each(PATHS)('a tar with the path %j is refused', async (name, why) => {
  // tar-stream writes long names as headers of their own, so that NUL may stand in them as well.
  const long = Buffer.from(`${name}\0`);
  const padded = Buffer.concat([long, Buffer.alloc(512 - (long.length % 512))]);
  const tar = Buffer.concat([
    tarHeader('a.json', '0', 0),
    tarHeader('././@LongLink', 'L', long.length),
    padded,
    tarHeader('x', '0', 0),
    Buffer.alloc(1_024),
  ]);
  // A long name ends at its first NUL.
  if (name.includes('\0')) expect((await opened('a.tar', tar)).names()).toEqual(['a.json', 'nul']);
  else await expectRefused('a.tar', tar, why);
});

test.each([
  ['symlink', '../../etc/passwd'],
  ['link', 'a.json'],
  ['character-device', undefined],
  ['block-device', undefined],
  ['fifo', undefined],
] as const)('a tar with an entry of the type %s is refused', async (type, linkname) => {
  const entry = { name: 'odd', type, ...(linkname === undefined ? {} : { linkname }) };
  const tar = await tarOf([{ name: 'a.json', content: '[]' }, entry]);
  await expectRefused('a.tar', tar, /odd is a link, or no regular file/);
  await expectRefused('a.tgz', packed(tar), /odd is a link, or no regular file/);
});

test('a zip with a symbolic link is refused', async () => {
  const link = { name: 'odd', content: Buffer.from('/etc/passwd'), mode: SYMLINK };
  await expectRefused('a.zip', zipOf([link]), /symbolic link/);
});

test('a folder with a link, a pipe or an odd name is refused', async () => {
  const linked = temporaryFolder();
  symlinkSync('/etc/passwd', join(linked, 'odd'));
  await expect(openArchiveSource(linked)).rejects.toThrow(/odd is a link/);
  const piped = temporaryFolder();
  execFileSync('mkfifo', [join(piped, 'odd')]);
  await expect(openArchiveSource(piped)).rejects.toThrow(/odd is a link, or no regular file/);
  const named = temporaryFolder();
  writeFileSync(join(named, 'a\\b'), '');
  await expect(openArchiveSource(named)).rejects.toThrow(/a character that none may have/);
  await expect(openArchiveSource(join(piped, 'odd'))).rejects.toThrow(/no file and no folder/);
  await expect(openArchiveSource('/dev/zero')).rejects.toThrow(/no file and no folder/);
});

test('a file that becomes a link after it was listed is not followed', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'a.json'), '[]');
  const archive = await openArchiveSource(folder);
  execFileSync('ln', ['-sf', '/etc/passwd', join(folder, 'a.json')]);
  await expect(text(await archive.open('a.json'))).rejects.toThrow(/a\.json is damaged/);
});

test('a zip that says it becomes very large is refused before anything is unpacked', async () => {
  const content = Buffer.from('x');
  const one = { name: 'a.json', content, saysSize: 300 * MIB };
  await expectRefused('a.zip', zipOf([one]), /200 times larger/);
  const many = Array.from({ length: 300 }, (_, at) => ({ ...one, name: `${at}`, saysSize: MIB }));
  await expectRefused('a.zip', zipOf(many), /200 times larger/);
  // Files that all lie at the same place count as often as they are there.
  const same = Array.from({ length: 300 }, (_, at) => ({
    ...one,
    name: `${at}`,
    saysSize: MIB,
    at: 0,
  }));
  await expectRefused('a.zip', zipOf([one, ...same].slice(1)), /200 times larger/);
});

test.each([-1, 1])('a file of a zip whose size is wrong by %i is damaged', async (by) => {
  const content = Buffer.from('[1, 2, 3]');
  const archive = await opened(
    'a.zip',
    zipOf([
      { name: 'a.json', content, saysSize: content.length + by },
      { name: 'b', content },
    ]),
  );
  await expect(text(await archive.open('a.json'))).rejects.toThrow(/a\.json is damaged/);
  await expect(text(await archive.open('a.json'))).rejects.toBeInstanceOf(ArchiveError);
  expect(await text(await archive.open('b'))).toBe('[1, 2, 3]');
});

test('a file of a zip that becomes more than it says is read no further', async () => {
  const content = Buffer.alloc(16 * MIB);
  const archive = await opened('a.zip', zipOf([{ name: 'a', content, saysSize: 100 }]));
  let bytes = 0;
  const reading = (async () => {
    for await (const chunk of await archive.open('a')) bytes += chunk.length;
  })();
  await expect(reading).rejects.toThrow(/a is damaged/);
  expect(bytes).toBeLessThan(MIB);
});

test('a file whose local header is gone is damaged, and the others are read', async () => {
  const zip = zipOf([
    { name: 'a', content: Buffer.from('a'), at: 1_000_000 },
    { name: 'b', content: Buffer.from('b') },
  ] satisfies ZipEntry[]);
  const archive = await opened('a.zip', zip);
  await expect(text(await archive.open('a'))).rejects.toThrow(/a is damaged/);
  expect(await text(await archive.open('b'))).toBe('b');
});

test('what is cut off or no archive is refused with a sentence', async () => {
  const zip = zipOf([{ name: 'a.json', content: Buffer.from('[]') }]);
  await expectRefused('a.zip', zip.subarray(0, zip.length - 30), /is no zip, or was cut off/);
  await expectRefused('a.zip', Buffer.from('no zip'), /is no zip, or was cut off/);
  await expectRefused('a.zip', Buffer.alloc(0), /is no zip, or was cut off/);
  const lost = Buffer.from(zip);
  lost.writeUInt32LE(7, lost.length - 6);
  await expectRefused('a.zip', lost, /list of files .* is damaged/);
  const tar = await tarOf([{ name: 'a.json', content: 'x'.repeat(5_000) }]);
  await expectRefused('a.tar', tar.subarray(0, 2_000), /no tar, or is damaged/);
  const gzip = packed(tar);
  await expectRefused('a.tgz', gzip.subarray(0, gzip.length - 20), /no tar, or is damaged/);
  await expectRefused('a.tgz', tar, /no tar, or is damaged/);
  await expectRefused('a.tar', Buffer.from('x'.repeat(2_000)), /no tar, or is damaged/);
});

test('two files of one name are refused; names that differ in case are two', async () => {
  const [one, two] = [Buffer.from('one'), Buffer.from('two')];
  const same = [
    { name: 'a.json', content: one },
    { name: './a.json', content: two },
  ];
  await expectRefused('a.zip', zipOf(same), /two files 'a\.json'/);
  await expectRefused('a.tar', await tarOf(same.map(({ name }) => ({ name }))), /two files/);
  const cased = [
    { name: 'a.json', content: 'one' },
    { name: 'A.json', content: 'two' },
  ];
  const zip = await opened(
    'a.zip',
    zipOf(cased.map(({ name, content }) => ({ name, content: Buffer.from(content) }))),
  );
  const tar = await opened('a.tar', await tarOf(cased));
  for (const archive of [zip, tar]) {
    expect(archive.names()).toEqual(['A.json', 'a.json']);
    expect(await text(await archive.open('a.json'))).toBe('one');
    expect(await text(await archive.open('A.json'))).toBe('two');
  }
});

test('names that no file system takes are read', async () => {
  const names = ['x'.repeat(300), 'a', 'a/b', 'ends.', '\ufffd', 'CON', '__proto__'];
  const archive = await opened(
    'a.tar',
    await tarOf(names.map((name) => ({ name, content: name }))),
  );
  expect(archive.names()).toEqual([...names].sort());
  for (const name of names) expect(await text(await archive.open(name))).toBe(name);
  const odd = await opened('a.zip', zipOf([{ name: Buffer.from([0xed, 0xa0, 0x80, 0x61]) }]));
  expect(odd.names()).toEqual(['\ufffd\ufffd\ufffda']);
});

test('a tar with a header that never ends is refused in bounded memory', async () => {
  // Megabytes of zeros are some kilobytes when they are packed.
  const zeros = Buffer.alloc(6 * MIB);
  for (const type of ['x', 'g', 'L', 'K']) {
    const tar = Buffer.concat([tarHeader('odd', type, 2 ** 32), zeros]);
    await expectRefused('a.tgz', packed(tar), /a header that is too long/);
  }
  await expectRefused('a.tgz', packed(Buffer.concat([tarHeader('a', '0', 0), zeros])), /zeros/);
});

test('a tar that says it becomes very large is refused, in whatever entry', async () => {
  const large = 8 * 1024 * MIB - 1;
  for (const type of ['0', '5', '7']) {
    const tar = Buffer.concat([tarHeader('odd', type, large), Buffer.alloc(2_048)]);
    await expectRefused('a.tgz', packed(tar), /200 times larger|no tar/);
  }
});

test('what is refused leaves nothing behind, and what is read only until it is closed', async () => {
  const temporary = ownTemporaryFiles();
  await expectRefused('a.tar', await tarOf([{ name: 'a' }, { name: '../b' }]), /leads out/);
  expect(readdirSync(temporary)).toEqual([]);
  const archive = await opened('a.tar', await tarOf([{ name: 'a/b/c', content: 'x' }]));
  expect(readdirSync(temporary)).toHaveLength(1);
  await archive.close();
  expect(readdirSync(temporary)).toEqual([]);
});

test('many empty files take little memory, and more than may be are refused', async () => {
  const count = 5_000;
  const entries = Array.from({ length: count }, (_, at) => ({ name: `day/${at}.json`, at: 0 }));
  const { rss } = process.memoryUsage();
  const archive = await opened('a.zip', zipOf([{ name: 'first' }, ...entries.slice(1)]));
  expect(archive.names()).toHaveLength(count);
  expect((process.memoryUsage().rss - rss) / count).toBeLessThan(8_000);
  const tally = openTally(1);
  for (let at = 0; at < HISTORY_ENTRIES_MAX; at += 1) tally.add('a', 0);
  expect(() => tally.add('a', 0)).toThrow(/more than 2000000 files/);
  const named = openTally(1);
  const long = 'x'.repeat(1_000);
  const addMany = () => {
    for (let at = 0; at < 300_000; at += 1) named.add(long, 0);
  };
  expect(addMany).toThrow(/paths of the archive are too long/);
});

test('archives within archives are files like others', async () => {
  const inner = zipOf([{ name: '../out.json', content: Buffer.from('[]') }]);
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'a'));
  writeFileSync(join(folder, 'a', 'inner.zip'), inner);
  const archive = await openArchiveSource(folder);
  expect(archive.names()).toEqual(['a/inner.zip']);
  const outer = await opened('a.zip', zipOf([{ name: 'inner.zip', content: inner }]));
  expect(outer.size('inner.zip')).toBe(inner.length);
});
