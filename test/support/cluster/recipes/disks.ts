import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeScratch } from '../../scratch.ts';

/** A disk with a file system of its own, which loses what was not synced when power fails. */
export interface Disk {
  /** Its folder. */
  readonly path: string;
  /** Fails now: nothing that is not synced reaches the disk any more. */
  fail(): void;
  /** Is mounted again, when nobody has a file of it open. */
  mend(): void;
  close(): void;
}

/** The file is sparse, so it takes what is written. */
const BYTES = 1_024 * 1_048_576;

/**
 * The kernel has a request that stops ext4 at once, for tests of such failures: EXT4_IOC_SHUTDOWN
 * without a flush of its journal. Perl is on every Debian, and Node cannot make such a request.
 */
const FAIL = `
  open(my $folder, '<', $ARGV[0]) or die "$!\\n";
  my $flags = pack('L', 2);
  ioctl($folder, 0x8004587D, $flags) or die "$!\\n";
`;

/** Opens a disk that is a file, mounted as a device of its own. */
export function openDisk(): Disk {
  const root = makeScratch();
  const [image, path] = [join(root, 'image'), join(root, 'disk')];
  writeFileSync(image, '');
  truncateSync(image, BYTES);
  mkdirSync(path);
  command('mkfs.ext4', ['-q', '-F', image]);
  // Hosts of a network, which other tests open, have copies of what is mounted; where the mount
  // above is shared, they let go of the disk when it is unmounted here.
  command('mount', ['--bind', root, root]);
  const close = () => {
    process.off('exit', close);
    spawnSync('umount', [path]);
    spawnSync('umount', [root]);
    rmSync(root, { recursive: true, force: true });
  };
  process.on('exit', close);
  command('mount', ['--make-shared', root]);
  const mount = () => command('mount', ['-o', 'loop', image, path]);
  mount();
  return {
    path,
    fail: () => command('perl', ['-e', FAIL, path]),
    mend() {
      command('umount', [path]);
      mount();
    },
    close,
  };
}

/** Disks need root, loop devices, `mkfs.ext4` and perl; without them tests count as skipped. */
export const isDiskMissing = process.getuid?.() !== 0 || !canFail();

function canFail(): boolean {
  let disk: Disk | undefined;
  try {
    disk = openDisk();
    disk.fail();
    disk.mend();
    return true;
  } catch {
    return false;
  } finally {
    disk?.close();
  }
}

function command(program: string, args: readonly string[]): void {
  const { status, stderr, error } = spawnSync(program, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${stderr ?? error}`);
}
