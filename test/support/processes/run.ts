import { spawn } from 'node:child_process';
import { onTestFinished } from 'vitest';
import { builtFile } from './dist.ts';

/** A process that has ended, and what it said. */
interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The server, for starts that are to fail. */
export const runMain = (env: Readonly<Record<string, string>>) =>
  run(process.execPath, [builtFile('main')], env);

/** The command line on a data directory. */
export const runConfab = (data: string, ...words: string[]) =>
  run(process.execPath, [builtFile('confab'), ...words], { CONFAB_DATA: data });

/** The command line, which is to succeed: the objects it answered with. */
export async function confab(data: string, ...words: string[]): Promise<Record<string, unknown>[]> {
  const { code, stdout, stderr } = await runConfab(data, ...words);
  if (code !== 0) throw new Error(stderr);
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

export function run(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    // biome-ignore lint/style/noProcessEnv: the program finds its PATH and the like there.
    const child = spawn(program, args, { env: { ...process.env, ...env } });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk: Buffer) => {
      stdout += chunk.toString();
    });
    child.stderr.on('data', (chunk: Buffer) => {
      stderr += chunk.toString();
    });
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stdout, stderr }));
    onTestFinished(() => {
      child.kill('SIGKILL');
    });
  });
}
