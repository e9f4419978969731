import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readRealmList } from '../../../storage/files/realm-list.ts';
import { readRegularFile } from '../../../storage/files/regular-file.ts';
import { readRecord } from '../../../storage/pages/store-check.ts';
import { run } from '../../support/processes/run.ts';
import { temporaryFolder } from '../../support/scratch.ts';

test('a named pipe is refused at once, and counts as a record that cannot be read', async () => {
  const folder = temporaryFolder();
  for (const name of ['store.json', 'realms.json']) await run('mkfifo', [join(folder, name)]);
  expect(() => readRegularFile(join(folder, 'store.json'))).toThrow('store.json is no file');
  expect(readRecord(folder)).toBeUndefined();
  expect(readRealmList(folder)).toEqual([]);
});
