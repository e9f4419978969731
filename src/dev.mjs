import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { watch } from 'rolldown';
import { pageOptions } from './bundle-page.mjs';

// `npm run dev`: the server, and the web client as its sources are now. The server reads the folder
// at each request, so there is no second server and no proxy, and cookies are as they are for
// everybody.

const root = fileURLToPath(new URL('..', import.meta.url));
const dir = join(root, 'dist', 'web-dev');

/** The page asks each second for its own tag, and loads itself again once that has changed. */
const RELOADING = `let loaded;
setInterval(async () => {
  const asked = { method: 'HEAD', cache: 'no-store', headers: { accept: 'text/html' } };
  const answer = await fetch('/', asked).catch(() => undefined);
  const tag = answer?.headers.get('etag') ?? loaded;
  loaded ??= tag;
  if (tag !== loaded) location.reload();
}, 1_000);
`;

execFileSync(process.execPath, [join(root, 'src', 'bundle.mjs')], { stdio: 'inherit' });
rmSync(dir, { recursive: true, force: true });
mkdirSync(join(dir, 'assets'), { recursive: true });
const source = join(root, 'web', 'app');
const watcher = watch(pageOptions({ root, source, dir, devScript: RELOADING }));
let server;
watcher.on('event', (event) => {
  if (event.code === 'ERROR') process.stderr.write(`confab: ${event.error.message}\n`);
  if (event.code === 'BUNDLE_END') {
    process.stderr.write(`confab: ${relative(root, source)} is in ${relative(root, dir)}\n`);
  }
  // The result of each build is to be closed, says the bundler.
  void event.result?.close();
  if (event.code === 'END' && existsSync(join(dir, 'manifest.json'))) server ??= startServer();
});

function startServer() {
  const child = spawn(
    process.execPath,
    ['--max-semi-space-size=32', join(root, 'dist', 'bundle', 'main.js')],
    // biome-ignore lint/style/noProcessEnv: these are the settings of the server.
    { env: { ...process.env, CONFAB_WEB_DEV: dir }, stdio: 'inherit' },
  );
  child.on('exit', async (code) => {
    await watcher.close();
    process.exitCode = code ?? 1;
  });
  return child;
}

// A terminal sends its signals to both; the server ends first, and this program with it.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    if (server === undefined) process.exit(1);
    if (signal !== 'SIGINT') server.kill(signal);
  });
}
