import { resolve } from 'node:path';
import { credentialsFile, readPeople } from '../admin/demo-file.ts';
import type { OperatingName } from '../cluster/operating.ts';
import type { ServerSettings } from '../config.ts';
import { ask, askForConsole, askForStatus } from './ask.ts';
import { CommandError, EXIT } from './exit-codes.ts';
import { IMPORT_FORMATS } from './import-formats.ts';
import type { Output } from './output.ts';

interface Asked {
  readonly settings: ServerSettings;
  readonly args: Readonly<Record<string, unknown>>;
  readonly output: Output;
}

/** Runs a command on the directory of a server or node that does not run. */
const operating =
  (name: OperatingName) =>
  async ({ settings, args, output }: Asked) => {
    const { operateHere } = await import('./operate-here.ts');
    output.answer(name, await operateHere(settings, resolve(settings.data), name, args));
  };

/** Imports the archive of another service, in this process as far as it can. */
const importing =
  (name: string) =>
  async ({ settings, args, output }: Asked) => {
    const { importHistory } = await import('../imports/command/import-history.ts');
    output.answer(name, await importHistory(settings, name, args));
  };

/** Commands that the command line runs itself, or whose answer decides the exit code. */
export const LOCAL: Readonly<Record<string, (asked: Asked) => Promise<void>>> = {
  async demo({ settings, output }) {
    const people = readPeople(resolve(settings.data));
    if (people === undefined) {
      throw new CommandError(
        `there is no demo realm in ${settings.data}: ${credentialsFile(settings.data)} is missing`,
        EXIT.notFound,
      );
    }
    output.answer('demo', people);
  },
  async status({ settings, output }) {
    const data = resolve(settings.data);
    const found = await askForStatus(data).catch((error: unknown) => {
      if (!(error instanceof CommandError)) throw error;
      return { is_running: true, state: 'unreachable', is_ready: false, reasons: [error.message] };
    });
    const standing = { ...STOPPED, ...found, data };
    output.answer('status', [standing]);
    process.exitCode = standing.is_ready ? EXIT.done : EXIT.no;
  },
  async console({ settings, output }) {
    const data = resolve(settings.data);
    const address = await askForConsole(data);
    if (address === undefined) {
      throw new CommandError(`no server runs on ${data}`, EXIT.unreachable);
    }
    output.answer('console', [address]);
  },
  async doctor({ settings, output }) {
    const data = resolve(settings.data);
    const found = await askForStatus(data);
    const { pid = null } = (found ?? {}) as { pid?: number };
    const { examine } = await import('./doctor.ts');
    const examined = await examine({ settings, data, pid, now: Date.now });
    output.answer('doctor', examined);
    process.exitCode = examined.some(({ result }) => result === 'fail') ? EXIT.no : EXIT.done;
  },
  async 'cluster verify'({ settings, args, output }) {
    const verified = await ask(settings, { command: 'cluster verify', args });
    output.answer('cluster verify', verified);
    const isEqual = verified.every((shard) => 'is_equal' in shard && shard.is_equal === true);
    process.exitCode = isEqual ? EXIT.done : EXIT.no;
  },
  async 'ldap sync'({ settings, args, output }) {
    const synced = await ask(settings, { command: 'ldap sync', args });
    output.answer('ldap sync', synced);
    const isDone = synced.every((one) => !('why' in one));
    process.exitCode = isDone ? EXIT.done : EXIT.no;
  },
  async 'push test'({ settings, args, output }) {
    const answered = await ask(settings, { command: 'push test', args });
    if (answered.length === 0) {
      throw new CommandError(`${String(args['email'])} has no device that gets pushes`, EXIT.no);
    }
    output.answer('push test', answered);
    process.exitCode = isTaken(answered) ? EXIT.done : EXIT.no;
  },
  ...Object.fromEntries(
    IMPORT_FORMATS.map((word) => [`import ${word}`, importing(`import ${word}`)]),
  ),
  'cluster adopt': operating('cluster adopt'),
  'cluster leave': operating('cluster leave'),
  'cluster rebuild-log': operating('cluster rebuild-log'),
  /**
   * Runs in processes of its own: a server would stop other work for it, and a server that cannot
   * start could not be asked.
   */
  async check({ settings, args, output }) {
    const { runCheck } = await import('../admin/commands.ts');
    const lines = runCheck(resolve(settings.data), args, settings);
    for (;;) {
      const { done, value } = await lines.next();
      if (!done) output.line(value);
      else {
        process.exitCode = value ? EXIT.done : EXIT.no;
        return;
      }
    }
  },
};

/** Tests for pushes that were all taken. One that the bouncer has to make was not tried. */
function isTaken(answered: readonly object[]): boolean {
  const answers = answered.map((one) => ('answer' in one ? String(one.answer) : ''));
  const tried = answers.filter((answer) => !answer.startsWith('not asked'));
  return tried.length > 0 && tried.every((answer) => answer === 'taken');
}

const STOPPED = {
  is_running: false,
  state: 'stopped',
  is_ready: false,
  reasons: ['no server runs on this data directory'],
};
