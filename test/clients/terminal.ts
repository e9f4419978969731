import { join } from 'node:path';
import { startClient } from './client-process.ts';

/** A program in a terminal, as somebody sits before it. */
export interface Terminal {
  /** Returns the text that is on the screen now. */
  screen(): string;
  type(keys: string): void;
  /** Waits until all texts are to be seen on one screen, which is drawn in several steps. */
  shows(...texts: string[]): Promise<void>;
  /** Waits until it is not. */
  hides(text: string): Promise<void>;
}

export const KEYS = {
  enter: '\r',
  escape: '\x1b',
  tab: '\t',
  up: '\x1b[A',
  down: '\x1b[B',
  right: '\x1b[C',
  left: '\x1b[D',
  controlD: '\x04',
  controlF: '\x06',
} as const;

interface TerminalOptions {
  /** The folder in which it runs, which is its user's home as well. */
  readonly home: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** `python` has the library that reads what the program draws. */
export function openTerminal(
  python: string,
  command: readonly string[],
  { home, env = {} }: TerminalOptions,
): Terminal {
  const client = startClient(python, [join(import.meta.dirname, 'terminal.py'), ...command], {
    folder: home,
    env: { HOME: home, TMPDIR: home, TERM: 'xterm-256color', TZ: 'UTC', ...env },
  });
  const screen = () => textOf(client.heard.at(-1)?.['screen']);
  const until = async (isWanted: (text: string) => boolean, why: string) => {
    if (isWanted(screen())) return;
    try {
      // The text has to come with a later drawing: an earlier one may have shown it, too.
      await client.hear((line) => isWanted(textOf(line['screen'])), client.heard.length);
    } catch (error) {
      throw new Error(`${why}:\n${screen()}`, { cause: error });
    }
  };
  return {
    screen,
    type: (keys) => client.write({ keys }),
    shows: (...texts) =>
      until(
        (screen) => texts.every((text) => screen.includes(text)),
        `'${texts.join("', '")}' are not all to be seen`,
      ),
    hides: (text) => until((screen) => !screen.includes(text), `'${text}' is still to be seen`),
  };
}

const textOf = (lines: unknown) => (Array.isArray(lines) ? lines.join('\n') : '');
