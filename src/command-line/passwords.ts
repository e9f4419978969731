import { createInterface } from 'node:readline';
import { CommandError, EXIT } from './exit-codes.ts';

/**
 * Reads a password: it is asked for twice on a terminal, which does not show it, and otherwise is
 * the first line of the standard input. In the words of a command other users of the machine see
 * it.
 */
export async function readPassword(): Promise<string> {
  if (!process.stdin.isTTY) return await firstLine();
  const password = await asked('Password: ');
  if ((await asked('Again: ')) === password) return password;
  throw new CommandError('the two passwords are not the same', EXIT.usage);
}

async function firstLine(): Promise<string> {
  for await (const line of createInterface({ input: process.stdin })) {
    process.stdin.destroy();
    return line;
  }
  throw new CommandError('the standard input has no password', EXIT.usage);
}

const CONTROL = {
  enter: ['\r', '\n'],
  end: '\u0004',
  interrupt: '\u0003',
  erase: ['\b', '\u007f'],
};

/** Reads a line from the terminal, which shows nothing of it. */
function asked(question: string): Promise<string> {
  const { stdin, stderr } = process;
  stderr.write(question);
  stdin.setRawMode(true).setEncoding('utf8').resume();
  let typed = '';
  return new Promise((resolve, reject) => {
    const settle = (then: () => void) => {
      stdin.off('data', take).setRawMode(false).pause();
      stderr.write('\n');
      then();
    };
    const take = (text: string) => {
      for (const character of text) {
        if (CONTROL.enter.includes(character)) return settle(() => resolve(typed));
        if (character === CONTROL.interrupt || character === CONTROL.end) {
          return settle(() => reject(new CommandError('nothing was changed', EXIT.refused)));
        }
        typed = CONTROL.erase.includes(character) ? typed.slice(0, -1) : typed + character;
      }
    };
    stdin.on('data', take);
  });
}
