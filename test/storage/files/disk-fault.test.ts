import { expect, test } from 'vitest';
import { diskCode, diskFault, isOutOfSpace } from '../../../storage/files/disk-fault.ts';

const system = (code: string | number, path?: string) =>
  Object.assign(new Error(`${code}: as the system says it\nand more`), { code, path });

test.each([
  [system('ENOSPC', '/data/x'), 'no space is left on the disk (ENOSPC, /data/x)'],
  [system('EROFS', '/data/x'), 'the file system is read-only (EROFS, /data/x)'],
  [system('EACCES', '/data/x'), 'permission denied (EACCES, /data/x)'],
  [system('ENOTDIR'), 'a part of the path is a file, not a folder (ENOTDIR)'],
  [system(28), 'no space is left on the disk (ENOSPC)'],
  [system('EWEIRD'), 'EWEIRD: as the system says it'],
  [new Error('a bug'), 'a bug'],
  ['thrown bare', 'thrown bare'],
])('what the system refuses is told in one line by its name: %#', (error, line) => {
  expect(diskFault(error)).toBe(line);
});

test('a refusal of the API and numbers of LMDB are no codes of the system', () => {
  expect(diskCode({ code: 'BAD_REQUEST' })).toBeUndefined();
  expect(diskCode({ code: 'EXPECTATION_MISMATCH' })).toBeUndefined();
  expect(diskCode({ code: -30796 })).toBeUndefined();
  expect(diskCode(null)).toBeUndefined();
});

test.each([
  ['ENOSPC', true],
  ['EDQUOT', true],
  [28, true],
  ['EIO', false],
])('%s is out of space: %s', (code, is) => {
  expect(isOutOfSpace(system(code))).toBe(is);
});
