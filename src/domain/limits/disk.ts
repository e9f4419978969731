// Bounds of the space on the disk, and backups, each with its reason.

/** If less is free than either bound, the server is read-only (decision 0132). */
export const FREE_BYTES_MIN = 256 * 1024 * 1024;
export const FREE_SHARE_MIN = 0.05;
/** The server leaves the read-only state when this many times the bound is free. */
export const FREE_HYSTERESIS = 1.1;
/**
 * Below this, or below a quarter of a lower bound, nothing is committed: a commit may take as much
 * at once.
 */
export const FREE_TO_WRITE_BYTES_MIN = 16 * 1024 * 1024;
/** How often free space is checked: a fast disk takes some GB in this time. */
export const SPACE_LOOK_MS = 5_000;
/** How often free space is checked while less than twice the bound is free. */
export const SPACE_LOOK_CLOSE_MS = 1_000;
/** The most free space that an operator may ask for, in MiB. */
export const FREE_MIB_MAX = 10_000_000;
/** How often the size of a store is noted beside it while it grows. */
export const STORE_RECORD_MS = 60_000;
/** Backups that a server keeps by default, and at most. */
export const BACKUPS_KEPT = 7;
export const BACKUPS_KEPT_MAX = 10_000;
/** A backup that was missed while no server ran is made this long after a start. */
export const BACKUP_AFTER_START_MS = 5_000;
/** The pauses before a backup that failed is tried again; then the next time of the schedule. */
export const BACKUP_RETRY_MS: readonly number[] = [60_000, 300_000, 900_000];
/** How long a stop waits for the remains of a backup to be removed; a service may be slow. */
export const BACKUP_STOP_MS_MAX = 2_000;
/** How often the schedule looks at the time: a computer may sleep, and its clock may be set. */
export const BACKUP_LOOK_MS = 60_000;
