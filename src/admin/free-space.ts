import { statfs } from 'node:fs/promises';
import type { Clock } from '../../actors/clock.ts';
import type { Space } from '../../storage/files/space.ts';
import {
  FREE_BYTES_MIN,
  FREE_HYSTERESIS,
  FREE_SHARE_MIN,
  FREE_TO_WRITE_BYTES_MIN,
  SPACE_LOOK_CLOSE_MS,
  SPACE_LOOK_MS,
} from '../domain/limits/disk.ts';

/** The fields of `statfs` that are used. */
export interface DiskSpace {
  /** Blocks that this user may still fill. */
  readonly bavail: number;
  readonly bfree: number;
  readonly blocks: number;
  readonly bsize: number;
}

export type Statfs = (path: string) => Promise<DiskSpace>;

export interface FreeSpaceInput {
  readonly path: string;
  readonly clock: Clock;
  /** The space that has to stay free, instead of the default bounds; 0 turns watching off. */
  readonly mibMin: number | null;
  readonly onChange: (now: { readonly isShort: boolean; readonly freeBytes: number }) => void;
  readonly statfs?: Statfs | undefined;
}

export interface FreeSpace extends Space {
  /** Reads the free space now and then every few seconds, more often near the bound. */
  watch(): Promise<void>;
  /** Returns what was free at the last look; null if the disk is not watched. */
  free(): { readonly bytes: number; readonly share: number } | null;
  close(): void;
}

const MIB = 1024 * 1024;

/**
 * Watches the file system of the data directory. Below its bound the server refuses what needs more
 * space (decision 0132).
 */
export function openFreeSpace(input: FreeSpaceInput): FreeSpace {
  const { path, clock, mibMin } = input;
  const ask: Statfs = input.statfs ?? statfs;
  let freeBytes = Number.POSITIVE_INFINITY;
  let share = 1;
  let bound = 0;
  let isShort = false;
  let isClosed = false;
  let timer: unknown;

  function note(space: DiskSpace) {
    freeBytes = space.bavail * space.bsize;
    share = space.bavail / Math.max(1, space.blocks - space.bfree + space.bavail);
    bound = mibMin === null ? boundOf(space) : mibMin * MIB;
    // Ending the shortage takes more space than it began with, or the state would change with every
    // message.
    const was = isShort;
    isShort = freeBytes < (was ? bound * FREE_HYSTERESIS : bound);
    if (isShort !== was) input.onChange({ isShort, freeBytes });
  }

  async function look() {
    try {
      note(await ask(path));
    } catch {
      // The last state holds on: a disk that does not answer fails where it is written to.
    }
    if (isClosed) return;
    const isClose = isShort || freeBytes < 2 * bound;
    timer = clock.setTimeout(() => void look(), isClose ? SPACE_LOOK_CLOSE_MS : SPACE_LOOK_MS);
  }

  return {
    isShort: () => isShort,
    isFull: () => isShort && freeBytes < Math.min(FREE_TO_WRITE_BYTES_MIN, bound / 4),
    hasRoomFor: (bytes) => !isShort && freeBytes - bytes >= bound,
    free: () => (Number.isFinite(freeBytes) ? { bytes: freeBytes, share } : null),
    watch: () => (mibMin === 0 ? Promise.resolve() : look()),
    close() {
      isClosed = true;
      clock.clearTimeout(timer);
    },
  };
}

/**
 * Returns the bound, as a share of what this user may fill: a file system may reserve blocks for
 * root.
 */
const boundOf = ({ bavail, bfree, blocks, bsize }: DiskSpace): number =>
  Math.max(FREE_BYTES_MIN, (blocks - bfree + bavail) * bsize * FREE_SHARE_MIN);
