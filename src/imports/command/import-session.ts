import { systemClock } from '../../../actors/clock.ts';
import { AMPLE } from '../../../storage/files/space.ts';
import type { RealmReader } from '../../../storage/transaction.ts';
import { runImportStep } from '../../admin/commands/import-steps.ts';
import { takeDataDirectory } from '../../admin/data-directory.ts';
import { openRealms } from '../../admin/deployment.ts';
import { refuseNodes } from '../../cluster/nodes/node-file.ts';
import { askIfServed } from '../../command-line/ask.ts';
import { refuse } from '../../command-line/refuse.ts';
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
  const served = await askIfServed(data);
  if (served !== undefined) {
    return {
      async ask(command, args) {
        const [reply = {}] = await served({ command, args });
        return reply;
      },
      readerOf: () => undefined,
      close: () => Promise.resolve(),
    };
  }
  const directory = await takeDataDirectory(data, (socket) => {
    socket.on('error', () => socket.destroy());
    socket.end(`${JSON.stringify({ refusal: 'an import is at work; try again later' })}\n`);
  });
  refuseNodes(data);
  const fail = (error: unknown) => void refuse(error);
  const realms = await openRealms({
    path: data,
    settings,
    clock: systemClock,
    space: AMPLE,
    onCommitFailed: fail,
    onRealmFailed: fail,
    onBug: fail,
    deliver: null,
  });
  return {
    ask: (command, args) => runImportStep(realms, command, args),
    readerOf: (realm) => realms.named(realm)?.reader,
    async close() {
      await realms.stop(() => 0);
      await directory.release();
    },
  };
}
