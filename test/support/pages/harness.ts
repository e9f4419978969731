import { readFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { onTestFinished } from 'vitest';

const ROOT = join(import.meta.dirname, '..', '..', '..');

/** The policy of the web client: what runs here runs there. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "media-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

const IMPORT = /^@import "([^"]+)";$/gm;

const styleOf = (file: string): string =>
  readFileSync(file, 'utf8').replace(IMPORT, (_, name: string) => styleOf(join(file, '..', name)));

const PAGE = `<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>A part of confab</title><link rel="icon" href="/user_uploads/icon.svg">
<link rel="stylesheet" href="/style.css">
<script type="module" src="/part.js"></script></head>
<body><main class="harness"><h1 class="unseen">A part of confab</h1></main></body></html>`;

const HARNESS_STYLE = `
.harness { display: flex; flex-direction: column; height: 100vh; }`;

const EMOJI = { code_to_names: { '1f44d': ['+1', 'thumbs_up'], '1f680': ['rocket'] } };

/** A picture, so that messages with files show one. */
const PICTURE = `<svg xmlns="http://www.w3.org/2000/svg" width="1920" height="1080"><rect width="100%" height="100%" fill="#7a9bd1"/></svg>`;

/**
 * Serves a page with one part of the web client, which a module mounts; returns its address. The
 * module is bundled as the web client is.
 */
export async function servePart(module: string): Promise<string> {
  const bundle = await rolldown({
    cwd: ROOT,
    platform: 'browser',
    tsconfig: join(ROOT, 'web/app/tsconfig.json'),
    input: { part: join(ROOT, 'test/web/pages', module) },
    plugins: [
      {
        name: 'style',
        load: (id) =>
          id.endsWith('.css')
            ? { code: `export const style = ${JSON.stringify(styleOf(id))};`, moduleType: 'js' }
            : null,
      },
    ],
  });
  const { output } = await bundle.generate({ format: 'esm', entryFileNames: '[name].js' });
  await bundle.close();
  const files = new Map<string, readonly [type: string, body: string]>([
    ['/', ['text/html; charset=utf-8', PAGE]],
    ['/style.css', ['text/css', styleOf(join(ROOT, 'web/app/style/index.css')) + HARNESS_STYLE]],
    ['/static/emoji-data.json', ['application/json', JSON.stringify(EMOJI)]],
  ]);
  for (const chunk of output) {
    if (chunk.type === 'chunk') files.set(`/${chunk.fileName}`, ['text/javascript', chunk.code]);
  }
  const server = http.createServer((request, response) => {
    const path = request.url?.split('?')[0] ?? '/';
    const isPicture = /^\/(?:user_uploads|external_content)\//.test(path);
    const found = isPicture ? (['image/svg+xml', PICTURE] as const) : files.get(path);
    response.writeHead(found === undefined ? 404 : 200, {
      'content-type': found?.[0] ?? 'text/plain',
      'content-security-policy': POLICY,
    });
    response.end(found?.[1] ?? 'no such file');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo; // of a server that listens on a port
  return `http://127.0.0.1:${port}/`;
}
