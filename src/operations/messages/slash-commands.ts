import type { RealmTransaction } from '../../../storage/transaction.ts';
import { COMMAND_NAME_LENGTH_MAX } from '../../domain/limits/operator.ts';
import { cutTo } from '../../domain/rules/messages/topic.ts';
import * as errors from '../../domain/wire/errors.ts';
import type { Caller } from '../access/caller.ts';
import * as userSettings from '../accounts/user-settings.ts';
import type * as userDefaults from '../users/defaults.ts';

interface Command {
  readonly settings: userDefaults.SettingsChange;
  readonly done: string;
}

const PING: Command = { settings: {}, done: '' };
const DARK: Command = { settings: { color_scheme: 2 }, done: 'The theme is dark now.' };
const LIGHT: Command = { settings: { color_scheme: 3 }, done: 'The theme is light now.' };
const FLUID: Command = {
  settings: { fluid_layout_width: true },
  done: 'The layout takes the whole width now.',
};
const FIXED: Command = {
  settings: { fluid_layout_width: false },
  done: 'The layout has a fixed width now.',
};

/**
 * The commands that the web app offers where messages are written. The reference leaves open which
 * ones there are.
 */
const COMMANDS: ReadonlyMap<string, Command> = new Map([
  ['/ping', PING],
  ['/dark', DARK],
  ['/night', DARK],
  ['/light', LIGHT],
  ['/day', LIGHT],
  ['/fluid-width', FLUID],
  ['/fixed-width', FIXED],
]);

export function carryOut(
  tx: RealmTransaction,
  caller: Pick<Caller, 'user' | 'site'>,
  text: string,
): { msg: string } {
  const name = text.trim();
  if (!name.startsWith('/')) {
    throw errors.badRequest('There should be a leading slash in the zcommand.');
  }
  const command = COMMANDS.get(name);
  if (command === undefined) {
    const shown = cutTo(name.slice(1), COMMAND_NAME_LENGTH_MAX);
    throw errors.badRequest(`No such command: ${shown}`);
  }
  userSettings.set(tx, caller, command.settings);
  return { msg: command.done };
}
