import type { RealmReader } from '../../../storage/transaction.ts';
import { runImportStep } from '../../admin/commands/import-steps.ts';
import { conversationIfServed } from '../../command-line/ask.ts';
import { openHere } from '../../command-line/run-here.ts';
import type { ServerSettings } from '../../config.ts';
import type { Ask } from '../running/target.ts';

/** The writer of the store, for as long as an import takes. */
export interface ImportSession {
  readonly ask: Ask;
  /** The store of a realm that this process has open; undefined where a server has it. */
  readerOf(realm: string): RealmReader | undefined;
  close(): Promise<void>;
}

/** Has the running server write, or opens the data directory here if none runs. */
export async function openImportSession(
  settings: ServerSettings,
  data: string,
): Promise<ImportSession> {
  const served = await conversationIfServed(data);
  if (served !== undefined) {
    return {
      async ask(command, args) {
        const [reply = {}] = await served.ask({ command, args });
        return reply;
      },
      readerOf: () => undefined,
      close: async () => served.close(),
    };
  }
  const { realms, close } = await openHere(settings, data, 'an import is at work; try again later');
  return {
    ask: (command, args) => runImportStep(realms, command, args),
    readerOf: (realm) => realms.named(realm)?.reader,
    close,
  };
}
