import type { FileName } from '../../files/file-store.ts';
import { table } from '../../table.ts';

/** An archive of the realm that an administrator asked for. */
export interface ExportRow {
  readonly actingUserId: number;
  /** 1: what is public; 2: also what people let be exported. */
  readonly type: 1 | 2;
  /** UNIX milliseconds, as are the others. */
  readonly askedAt: number;
  /** How often it was begun: a server that is killed begins again. */
  readonly attempts: number;
  /**
   * The name of the archive's bytes, until it is deleted. Anybody who knows the name may download
   * them.
   */
  readonly archive: FileName | null;
  readonly failedAt: number | null;
  readonly deletedAt: number | null;
}

/** Few, and always told whole. */
export const exports = table<[exportId: number], ExportRow>(
  'exports',
  ['actingUserId', 'type', 'askedAt', 'attempts', 'archive', 'failedAt', 'deletedAt'],
  {
    audited: [
      {
        kind: 'export',
        target: ([exportId]) => exportId,
        // Anybody may download the archive by its name.
        values: ({ type, archive, failedAt, deletedAt }) => ({
          export_type: type,
          is_written: archive !== null,
          has_failed: failedAt !== null,
          is_deleted: deletedAt !== null,
        }),
      },
    ],
  },
);
