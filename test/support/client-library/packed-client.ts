import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { inject } from 'vitest';
// biome-ignore lint/correctness/useImportExtensions: its types are beside it, in a file of another name.
import { apiText } from '../../../client/types/api-text.mjs';
import { run } from '../processes/run.ts';
import { temporaryFolder } from '../scratch.ts';

const ROOT = resolve(import.meta.dirname, '../../..');

let packed: Promise<string> | undefined;

/** Returns the package of the client library, as `npm pack` makes it; made once in a process. */
export function packedClient(): Promise<string> {
  packed ??= pack();
  return packed;
}

/** Returns a folder of its own in which the package is installed. */
export async function folderWithClient(): Promise<string> {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}');
  const words = ['install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund'];
  await succeed('npm', ['--prefix', folder, ...words, await packedClient()]);
  return folder;
}

/** Builds it aside, so that two runs at once do not share a folder. */
async function pack(): Promise<string> {
  const dist = inject('dist');
  const folder = join(dist, `client-${process.pid}`);
  mkdirSync(folder);
  for (const name of ['package.json', 'README.md', 'src']) {
    cpSync(join(ROOT, 'client', name), join(folder, name), { recursive: true });
  }
  const config = JSON.parse(readFileSync(join(ROOT, 'client/tsconfig.json'), 'utf8')) as object;
  const extended = { ...config, extends: join(ROOT, 'tsconfig.json') };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(extended));
  const description = readFileSync(join(dist, 'bundle/openapi.json'), 'utf8');
  mkdirSync(join(folder, 'src/generated'), { recursive: true });
  writeFileSync(
    join(folder, 'src/generated/api.ts'),
    apiText(JSON.parse(description) as Parameters<typeof apiText>[0]),
  );
  await succeed(join(ROOT, 'node_modules/.bin/tsc'), ['-p', folder]);
  const words = ['pack', folder, '--ignore-scripts', '--json', '--pack-destination', folder];
  const [made] = JSON.parse(await succeed('npm', words)) as { filename: string }[];
  return join(folder, made?.filename ?? '');
}

async function succeed(program: string, words: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await run(program, words);
  if (code !== 0) throw new Error(`${program} ${words.join(' ')}: ${stdout}${stderr}`);
  return stdout;
}
