import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** True if this process may mount a file system of its own: as root outside of most containers. */
export const canMount = mayMount();

export interface SmallDisk {
  readonly path: string;
  freeBytes(): number;
  /** Leaves this many bytes free. */
  fill(freeBytes: number): void;
  /** Removes what filled it. */
  empty(): void;
  makeReadOnly(): void;
}

/**
 * Mounts a file system of a few MiB and files, which is unmounted when the test ends; servers on it
 * have to be stopped by then.
 */
export function mountSmallDisk(mib: number, files = 1_000): SmallDisk {
  const path = mkdtempSync(join(tmpdir(), 'confab-disk-'));
  const bounds = `size=${mib}m,nr_inodes=${files},mode=700`;
  execFileSync('mount', ['-t', 'tmpfs', '-o', bounds, 'tmpfs', path]);
  onTestFinished(() => {
    spawnSync('umount', ['-l', path]);
    rmSync(path, { recursive: true, force: true });
  });
  const filler = join(path, 'filler');
  const freeBytes = () => {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize;
  };
  return {
    path,
    freeBytes,
    fill(left) {
      rmSync(filler, { force: true });
      writeFileSync(filler, Buffer.alloc(Math.max(0, freeBytes() - left)));
    },
    empty: () => rmSync(filler, { force: true }),
    makeReadOnly: () => void execFileSync('mount', ['-o', 'remount,ro', path]),
  };
}

function mayMount(): boolean {
  const path = mkdtempSync(join(tmpdir(), 'confab-disk-'));
  const isMounted =
    spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', path]).status === 0;
  if (isMounted) spawnSync('umount', [path]);
  rmSync(path, { recursive: true, force: true });
  return isMounted;
}
