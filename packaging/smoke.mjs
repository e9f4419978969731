import { readFileSync, writeFileSync } from 'node:fs';

// Uses a server as people would, so that packages are loaded that are loaded on first use. In
// `owner.json` it finds what `confab init` printed. It leaves an event queue, which the next run
// goes on with if it is told to. Usage: node smoke.mjs <URL> [resume | again]

const [url = '', mode] = process.argv.slice(2);
const { owner, api_key: key } = JSON.parse(readFileSync('owner.json', 'utf8'));
const QUEUE = 'queue.json';
const authorization = `Basic ${Buffer.from(`${owner}:${key}`).toString('base64')}`;

/** Asks the server; anything but success ends the run. */
async function ask(method, path, params = {}) {
  const query = new URLSearchParams(params);
  const isGet = method === 'GET';
  const reply = await fetch(`${url}/api/v1${path}${isGet ? `?${query}` : ''}`, {
    method,
    headers: { authorization },
    ...(isGet ? {} : { body: params instanceof FormData ? params : query }),
  });
  const body = await reply.json();
  if (reply.status !== 200) throw new Error(`${method} ${path}: ${JSON.stringify(body)}`);
  return body;
}

function expectIn(text, ...parts) {
  for (const part of parts) if (!text.includes(part)) throw new Error(`${part} is not in ${text}`);
}

const text = '**bold** :tada: $$x^2$$\n```python\nprint(1)\n```';
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const channels = JSON.stringify([{ name: 'smoke' }]);
await ask('POST', '/users/me/subscriptions', { subscriptions: channels });
const register = () =>
  ask('POST', '/register', { event_types: '["message"]', apply_markdown: 'true' });
const before = mode === 'resume' ? JSON.parse(readFileSync(QUEUE, 'utf8')) : await register();

const form = new FormData();
form.append('file', new Blob([Buffer.from(PIXEL, 'base64')], { type: 'image/png' }), 'dot.png');
const { url: upload } = await ask('POST', '/user_uploads', form);
const content = `${text}\n[dot.png](${upload})`;
await ask('POST', '/messages', { type: 'channel', to: 'smoke', topic: 'smoke', content });
const { queue_id, last_event_id } = before;
const { events } = await ask('GET', '/events', { queue_id, last_event_id });
const { message } = events.find(({ type }) => type === 'message');
expectIn(message.content, '<strong>', 'emoji-1f389', 'katex', 'class="codehilite"', 'dot.png');
const linkifier = { pattern: '#(?P<id>[0-9]+)', url_template: 'https://example.com/{id}' };
if (mode === undefined) await ask('POST', '/realm/filters', linkifier);

const page = await (await fetch(url, { headers: { accept: 'text/html' } })).text();
const [, script] = /src="([^"]+)"/.exec(page) ?? [];
const file = await fetch(new URL(script, url), { headers: { 'accept-encoding': 'br' } });
expectIn(`${file.status} ${file.headers.get('content-encoding')}`, '200 br');

writeFileSync(QUEUE, JSON.stringify(await register()));
process.stdout.write('all is as expected\n');
