import { join } from 'node:path';
import type { FileStore } from '../../../storage/files/file-store.ts';
import { filesIn } from '../../../storage/files/open-file-store.ts';
import { openFollowerStore } from '../../../storage/follower-store.ts';
import type { ImportStep } from '../../admin/commands/import-steps.ts';
import { UPLOADS } from '../../admin/realms/starting.ts';
import type { ServerSettings } from '../../config.ts';
import type { Site } from '../../operations/access/caller.ts';
import type { Reads } from '../../operations/access/groups.ts';

/** Has the process that writes the store do one step. */
export type Ask = (command: ImportStep, args: object) => Promise<object>;

export interface StepReply {
  readonly counts: Readonly<Record<string, number>>;
  readonly refused: readonly { readonly index: number; readonly why: string }[];
}

/** The files of a realm, as far as an import needs them. */
export type ImportedFiles = Pick<FileStore, 'receive' | 'measure' | 'draw'>;

/** The realm that an import writes to, as the process of the import has it. */
export interface Target {
  readonly realmId: number;
  readonly site: Site;
  readonly reads: Reads;
  readonly files: ImportedFiles;
  /** Makes later reads see what has been written until now. */
  refresh(): void;
  close(): Promise<void>;
}

interface Opening {
  readonly settings: ServerSettings;
  /** The data directory. */
  readonly data: string;
  /** The reply to `import begin`. */
  readonly begun: object;
  /** The store, if this process has it open. */
  readonly reader: Reads | undefined;
  /** Takes the files instead of the realm's own store of files. */
  readonly files: ImportedFiles | undefined;
}

/** Opens the store of the realm to read it while another part of this machine writes it. */
export function openTarget({ settings, data, begun, reader, files }: Opening): Target {
  const { realm_id: realmId, site } = begun as { realm_id: number; site: Omit<Site, 'settings'> };
  const folder = join(data, 'realms', String(realmId));
  const store =
    reader === undefined ? openFollowerStore(folder) : { reader, refresh() {}, async close() {} };
  return {
    realmId,
    site: { ...site, settings },
    reads: store.reader,
    files: files ?? filesIn(settings)(join(folder, UPLOADS), realmId),
    refresh: store.refresh,
    close: store.close,
  };
}
