import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkFiles } from '../../src/checks/check-files.ts';
import type { Fault } from '../../src/checks/findings.ts';
import { openFindings } from '../../src/checks/findings.ts';
import { objectKey } from '../../storage/files/object-file-store.ts';
import { contentOf } from '../../storage/objects/object-store.ts';
import { memoryObjects } from '../support/files/memory-objects.ts';
import { temporaryFolder } from '../support/scratch.ts';

const file = (letter: string) => ({ folder: 'ab', file: letter.repeat(24) });
const picture = (small: string, medium: string) => ({
  uploadedAvatar: { small: file(small), medium: file(medium) },
});

test('files are looked for in the folder and then in shared storage, which may be away', async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'ab'));
  writeFileSync(join(folder, 'ab', file('a').file), 'here');
  const objects = memoryObjects();
  await objects.put(objectKey(1, file('b')), contentOf(Buffer.from('there')));
  const checked = async (isThere = () => true) => {
    const faults: Fault[] = [];
    const findings = openFindings((found) => 'fault' in found && faults.push(found.fault));
    const files = checkFiles({
      folder,
      sizeInStore: (name) => objects.sizeOf(objectKey(1, name)),
      findings,
      isThere,
    });
    await files.row('users', [1], picture('a', 'b'));
    for (let user = 2; user < 30; user++) await files.row('users', [user], picture('b', 'b'));
    await files.row('users', [30], picture('b', 'c'));
    await files.end();
    expect(files.count()).toBe(60);
    return faults;
  };
  const where = `ab/${file('c').file} of users [30]`;
  expect(await checked()).toEqual([{ table: 'files', what: 'is missing', where }]);
  objects.isAway = true;
  expect(await checked()).toMatchObject([
    { what: 'cannot be looked for in the shared storage: the store of the test is away' },
  ]);
  // It is said as well if the row of the file that was asked for is gone.
  expect(await checked(() => false)).toHaveLength(1);
});
