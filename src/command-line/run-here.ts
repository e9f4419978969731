import { systemClock } from '../../actors/clock.ts';
import { AMPLE } from '../../storage/files/space.ts';
import { runCommand } from '../admin/commands.ts';
import type { ControlReply, ControlRequest } from '../admin/control/control.ts';
import { takeDataDirectory } from '../admin/data-directory.ts';
import { openRealms, type Realms } from '../admin/deployment.ts';
import { refuseNodes } from '../cluster/nodes/node-file.ts';
import type { ServerSettings } from '../config.ts';
import { EXIT } from './exit-codes.ts';
import { refuse } from './refuse.ts';
import { giveToOwner } from './same-owner.ts';

/** Opens the data directory in this process for one command. */
export async function runHere(
  settings: ServerSettings,
  path: string,
  { command, args }: ControlRequest,
): Promise<readonly object[]> {
  const here = await openHere(settings, path, 'another command is at work; try again');
  try {
    return await runCommand(here.realms, command, args);
  } finally {
    await here.close();
  }
}

/** The realms of a data directory, open in this process until it is closed. */
interface OpenHere {
  readonly realms: Realms;
  close(): Promise<void>;
}

/**
 * Opens a data directory that no server has open. Commands that are given meanwhile are refused
 * with the sentence.
 */
export async function openHere(
  settings: ServerSettings,
  path: string,
  whileOpen: string,
): Promise<OpenHere> {
  const busy: ControlReply = { refusal: whileOpen, exit_code: EXIT.unreachable };
  const directory = await takeDataDirectory(path, (socket) => {
    socket.on('error', () => socket.destroy());
    socket.end(`${JSON.stringify(busy)}\n`);
  });
  refuseNodes(path);
  const fail = (error: unknown) => void refuse(error);
  const realms = await openRealms({
    path,
    settings,
    clock: systemClock,
    space: AMPLE,
    onCommitFailed: fail,
    onRealmFailed: fail,
    onBug: fail,
    deliver: null,
  });
  return {
    realms,
    async close() {
      await realms.stop(() => 0);
      await directory.release();
      giveToOwner(path);
    },
  };
}
