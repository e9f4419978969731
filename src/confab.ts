#!/usr/bin/env -S node --max-semi-space-size=32
import { makeFilesPrivately } from './admin/private-files.ts';
import type { CommandName } from './command-line/catalogue.ts';
import { helpText } from './command-line/help.ts';
import { openOutput, terminalHere } from './command-line/output.ts';
import { coloured } from './command-line/tables.ts';
import { type Wanted, wantedBy } from './command-line/words.ts';
import { SERVICE_VERSION } from './domain/version.ts';
import { refuseOldNode } from './node-version.ts';

// The parts that a command needs are loaded when it runs, so that help and completion are quick.

async function main(words: readonly string[]) {
  const wanted = wantedBy(words);
  switch (wanted.kind) {
    case 'version':
      return void process.stdout.write(`${SERVICE_VERSION}\n`);
    case 'help': {
      const bold = (text: string) => coloured(text, 'bold', terminalHere());
      return void process.stdout.write(helpText(wanted.about, SERVICE_VERSION, bold));
    }
    case 'command':
      return await runCommand(wanted);
  }
}

async function runCommand({ name, args, isJson }: Extract<Wanted, { kind: 'command' }>) {
  if (name === 'completion') {
    const { completionFor } = await import('./command-line/completion.ts');
    return void process.stdout.write(completionFor(args['name']));
  }
  if (name === 'serve') return void (await import('./start.ts'));
  const { readSettings } = await import('./config.ts');
  const settings = readSettings();
  const output = openOutput(isJson);
  const { LOCAL } = await import('./command-line/local.ts');
  const local = LOCAL[name];
  if (local !== undefined) return await local({ settings, args, output });
  if (name.startsWith('backup ')) {
    const { isLocal, runLocal } = await import('./admin/commands.ts');
    if (isLocal(name)) return output.answer(name, await runLocal(name, args, settings));
  }
  const { ask } = await import('./command-line/ask.ts');
  const request = { command: name, args: await complete(name, args) };
  output.answer(name, await ask(settings, request));
}

/** Adds what the words of a command only name: a password that is read, accounts of a file. */
async function complete(name: CommandName, args: Readonly<Record<string, unknown>>) {
  if (name === 'user password' && args['password'] === undefined) {
    const { readPassword } = await import('./command-line/passwords.ts');
    return { ...args, password: await readPassword() };
  }
  if (name === 'users import') {
    const { accountsIn } = await import('./command-line/accounts-file.ts');
    const { file, ...rest } = args;
    return { ...rest, users: accountsIn(String(file)) };
  }
  return args;
}

/** Lets a reader of the output go away early, as `head` does. */
function endWithReader(error: NodeJS.ErrnoException) {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
}

refuseOldNode();
process.stdout.on('error', endWithReader);
makeFilesPrivately();
// The process ends by itself: an exit at once would cut off what a pipe has not taken yet.
main(process.argv.slice(2)).catch(async (error: unknown) => {
  const { refuse } = await import('./command-line/refuse.ts');
  refuse(error);
});
