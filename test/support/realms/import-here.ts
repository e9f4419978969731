import { runImportStep } from '../../../src/admin/commands/import-steps.ts';
import type { Realms } from '../../../src/admin/deployment.ts';
import type { FormatOptions, HistoryFormat } from '../../../src/imports/history.ts';
import { type RunInput, runImport } from '../../../src/imports/running/run-import.ts';
import { type Ask, openTarget } from '../../../src/imports/running/target.ts';
import type { ArchiveSource } from '../../../src/imports/sources/archive-source.ts';

interface Input {
  readonly format: HistoryFormat;
  readonly archive: ArchiveSource;
  readonly of: RunInput['of'];
  readonly options?: FormatOptions;
  /** Called for each step, before it runs. */
  readonly onStep?: (...step: Parameters<Ask>) => void;
}

/**
 * Imports an archive into a realm of a server of this process, which the import makes if need be;
 * returns the report.
 */
export async function importHere(
  realms: Realms,
  { format, archive, of, options = {}, onStep = () => undefined }: Input,
) {
  const begun = await runImportStep(realms, 'import begin', of);
  return await runImport({
    format,
    archive,
    options,
    of,
    async ask(...step) {
      onStep(...step);
      return await runImportStep(realms, ...step);
    },
    open: () =>
      openTarget({
        settings: realms.settings,
        data: realms.path,
        begun,
        reader: realms.named(of.realm)?.reader,
        files: undefined,
      }),
    onProgress: () => undefined,
  });
}
