import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';

/** A client in a process of its own, which speaks in JSON objects, one a line. */
export interface ClientProcess {
  /** Every object that it wrote without being asked, in order. */
  readonly heard: readonly Line[];
  /** The first of those, from `from` on, that is wanted; waits for it. */
  hear(isWanted: (line: Line) => boolean, from?: number): Promise<Line>;
  write(line: Readonly<Record<string, unknown>>): void;
  /** Asks for a call and waits for what it returned; throws what it threw. */
  call(name: string, ...args: unknown[]): Promise<Line>;
  /** Returns everything that it wrote besides objects, for the message of a failure. */
  said(): string;
  /** Waits until that is among it. */
  says(wanted: RegExp): Promise<RegExpExecArray>;
}

// biome-ignore lint/suspicious/noExplicitAny: what a test expects of a line is written in the test.
export type Line = Readonly<Record<string, any>>;

interface Options {
  readonly env?: Readonly<Record<string, string>>;
  readonly folder?: string;
}

/** Bounds the wait for something that never comes; a busy machine takes seconds for each step. */
const HEAR_MS = 45_000;

export function startClient(
  program: string,
  args: readonly string[],
  { env = {}, folder }: Options = {},
): ClientProcess {
  const child = spawn(program, args, {
    // biome-ignore lint/style/noProcessEnv: the program finds its PATH and the like there.
    env: { ...process.env, ...env },
    ...(folder === undefined ? {} : { cwd: folder }),
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const { heard, answers, waiting, said, readers } = listenTo(child);
  const write = (line: Line) => void child.stdin.write(`${JSON.stringify(line)}\n`);
  let lastId = 0;
  return {
    heard,
    write,
    said,
    says(wanted) {
      return within(HEAR_MS, said, (resolve) => {
        const read = () => {
          const found = wanted.exec(said());
          if (found === null) return;
          readers.delete(read);
          resolve(found);
        };
        readers.add(read);
        read();
      });
    },
    hear(isWanted, from = 0) {
      const found = heard.slice(from).find(isWanted);
      if (found !== undefined) return Promise.resolve(found);
      return within(HEAR_MS, said, (resolve) => waiting.add({ isWanted, resolve }));
    },
    async call(name, ...args) {
      lastId += 1;
      const id = lastId;
      write({ id, call: name, args });
      const answer = await within<Line>(HEAR_MS, said, (resolve) => answers.set(id, resolve));
      if (answer['error'] !== undefined) throw new Error(`${name}: ${answer['error']}`);
      return answer['reply'];
    },
  };
}

interface Wanted {
  readonly isWanted: (line: Line) => boolean;
  readonly resolve: (line: Line) => void;
}

function listenTo(child: ChildProcessWithoutNullStreams) {
  const heard: Line[] = [];
  const answers = new Map<number, (line: Line) => void>();
  const waiting = new Set<Wanted>();
  const readers = new Set<() => void>();
  let said = '';
  const note = (text: string) => {
    said += text;
    for (const read of readers) read();
  };
  child.stderr.on('data', (chunk: Buffer) => note(chunk.toString()));
  createInterface(child.stdout).on('line', (text) => {
    const line = parsed(text);
    if (line === null) {
      note(`${text}\n`);
      return;
    }
    const answer = answers.get(line['id']);
    if (answer !== undefined) {
      answer(line);
      return;
    }
    heard.push(line);
    for (const wanted of waiting) {
      if (!wanted.isWanted(line)) continue;
      waiting.delete(wanted);
      wanted.resolve(line);
    }
  });
  return { heard, answers, waiting, readers, said: () => said };
}

const parsed = (text: string): Line | null => (text.startsWith('{"') ? JSON.parse(text) : null);

/** Waits for what a process says, and tells what it said instead when it does not come. */
function within<Value>(
  ms: number,
  said: () => string,
  wait: (resolve: (value: Value) => void) => void,
): Promise<Value> {
  const { stack } = new Error('it did not come');
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`${stack}\nThe client said:\n${said()}`)), ms);
    wait((value) => {
      clearTimeout(timer);
      resolve(value);
    });
  });
}
