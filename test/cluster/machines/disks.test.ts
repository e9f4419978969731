import { closeSync, existsSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { isDiskMissing, openDisk } from '../../support/cluster/recipes/disks.ts';

test.skipIf(isDiskMissing)('a disk that fails keeps what was synced, and nothing else', () => {
  const disk = openDisk();
  onTestFinished(() => disk.close());
  const file = openSync(join(disk.path, 'synced'), 'w');
  writeSync(file, 'one ');
  fsyncSync(file);
  writeSync(file, 'two');
  closeSync(file);
  closeSync(openSync(join(disk.path, 'not synced'), 'w'));
  disk.fail();
  expect(() => openSync(join(disk.path, 'late'), 'w')).toThrow();
  disk.mend();
  expect(readFileSync(join(disk.path, 'synced'), 'utf8')).toBe('one ');
  expect(existsSync(join(disk.path, 'not synced'))).toBe(false);
});
