import { accessSync, constants, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished, vi } from 'vitest';

const IN_MEMORY = '/dev/shm';
const ROOM_BYTES = 1024 * 1024 * 1024;

/**
 * A new folder, in memory where the system has room for it: a test commits tens of times, and a
 * disk takes milliseconds for each. Its results hold on a disk alike, as what a killed process
 * wrote to a file is there in either.
 */
export const makeScratch = () => mkdtempSync(join(PLACE, 'confab-test-'));

/** The same, removed when the test ends. */
export function temporaryFolder(): string {
  const path = makeScratch();
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/**
 * A new folder in which this process makes its temporary files until the test ends: other processes
 * test as well, and have theirs in the folder of the system.
 */
export function ownTemporaryFiles(): string {
  const path = temporaryFolder();
  vi.stubEnv('TMPDIR', path);
  onTestFinished(() => void vi.unstubAllEnvs());
  return path;
}

function hasRoomInMemory(): boolean {
  try {
    accessSync(IN_MEMORY, constants.W_OK);
    const { bavail, bsize } = statfsSync(IN_MEMORY);
    return bavail * bsize >= ROOM_BYTES;
  } catch {
    return false;
  }
}

const PLACE = hasRoomInMemory() ? IN_MEMORY : tmpdir();
