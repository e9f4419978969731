import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runCommand } from '../../../src/admin/commands.ts';
import { openPace } from '../../../src/archives/pace.ts';
import { namedFiles } from '../../../src/backups/named-files.ts';
import { openNamedFiles } from '../../../src/operations/files/named-files.ts';
import { begun, part } from '../../support/files/tus.ts';
import { fillRealm } from '../../support/realms/full-realm.ts';
import { temporaryFolder } from '../../support/scratch.ts';
import { startServer } from '../../support/start-server.ts';

test('every file that a backup has is named, also after an import, and no other', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel } = server.people;
  await fillRealm(server);
  const path = await begun(server.app.port, mel, { length: 10 });
  await part(server.app.port, mel, { path, offset: 0, body: 'hello' });
  const file = join(temporaryFolder(), 'archive.zip');
  await runCommand(server.app.realms, 'realm export', { realm: 'test', file });
  await runCommand(server.app.realms, 'realm import', { file, name: 'copy' });
  for (const name of ['test', 'copy']) {
    const { reader } = server.app.realms.named(name) ?? expect.fail('there is the realm');
    const { isNamed } = openNamedFiles(reader);
    const files = await namedFiles(reader, openPace());
    expect(files.length).toBeGreaterThan(8);
    const isPart = false;
    expect(files.filter(({ fileName }) => !isNamed(fileName, { isPart }))).toEqual([]);
    for (const { fileName } of files) {
      const other = {
        ...fileName,
        file: fileName.file.replace(/^./, (c) => (c === 'x' ? 'y' : 'x')),
      };
      expect(isNamed(other, { isPart })).toBe(false);
    }
  }
  const { reader } = server.app.realms.named('test') ?? expect.fail('there is the realm');
  const { isNamed } = openNamedFiles(reader);
  const id = path.split('/').at(-1) ?? '';
  const unfinished = { folder: id.slice(0, 2), file: id.slice(2) };
  expect(isNamed(unfinished, { isPart: true })).toBe(true);
  expect(isNamed({ folder: 'ab', file: 'x'.repeat(24) }, { isPart: true })).toBe(false);
});
