import { existsSync, readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openRehearsal } from '../../src/imports/command/rehearsal.ts';
import { ownTemporaryFiles } from '../support/scratch.ts';
import { startServer } from '../support/start-server.ts';

test('a realm is copied where there is room for it, and only there', async () => {
  const server = await startServer();
  const temporary = ownTemporaryFiles();
  const { settings } = server.app.realms;
  /** The disk of temporary files has so many blocks left. */
  const opened = (bavail: number, realm = 'test') =>
    openRehearsal({
      settings,
      data: server.data,
      realm,
      statfs: async () => ({ bavail, bfree: bavail, blocks: 1_000_000, bsize: 4_096 }),
    });
  await expect(opened(1)).rejects.toThrow(
    /^A dry run copies the realm, which takes [1-9]\d* MiB, and .+ has 0 MiB left: set TMPDIR /,
  );
  expect(readdirSync(temporary)).toEqual([]);
  // Nothing is copied for a realm that the import makes.
  (await opened(1, 'fresh')).close();

  const rehearsal = await opened(1_000_000);
  expect(existsSync(`${rehearsal.data}/realms/1/data.mdb`)).toBe(true);
  // Files are never those of the realm, wherever these are.
  expect(rehearsal.settings.files).toBeNull();
  rehearsal.close();
  expect(readdirSync(temporary)).toEqual([]);
});
