import { chownSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runHere } from '../../src/command-line/run-here.ts';
import { readSettings } from '../../src/config.ts';
import { temporaryFolder } from '../support/scratch.ts';

const OWNER = 12_345;

test.skipIf(process.getuid?.() !== 0)(
  'what a command of root makes in the data directory of a service belongs to that service',
  async () => {
    const data = join(temporaryFolder(), 'data');
    mkdirSync(data, { mode: 0o700 });
    chownSync(data, OWNER, OWNER);

    const args = { name: 'acme' };
    await runHere(readSettings({ CONFAB_DATA: data }), data, { command: 'realm create', args });

    const files = readdirSync(data, { recursive: true, encoding: 'utf8' });
    expect(files).toEqual(expect.arrayContaining(['layout.json', 'realms/1/data.mdb']));
    const owners = files.map((file) => ({ file, uid: statSync(join(data, file)).uid }));
    expect(owners.filter(({ uid }) => uid !== OWNER)).toEqual([]);
  },
);
