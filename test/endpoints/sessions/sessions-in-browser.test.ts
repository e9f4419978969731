import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { png } from '../../support/files/images.ts';
import { upload } from '../../support/files/uploads.ts';
import { CHROMIUM, openTab } from '../../support/pages/browser.ts';
import { givePasswords, PASSWORD } from '../../support/people/session-browser.ts';
import { startServer } from '../../support/start-server.ts';

type Tab = Awaited<ReturnType<typeof openTab>>['page'];

const ifThere = test.skipIf(CHROMIUM === null);

ifThere(
  'a page logs in, reads, shows a file and opens a socket, and sees nothing of the cookie',
  async () => {
    const { server, page, faults } = await opened();
    const { mel } = server.people;
    expect(await logIn(page, mel.email)).toEqual({ status: 200, id: mel.id });
    expect(await page.evaluate('document.cookie')).toBe('');
    expect(await asked(page, '/api/v1/users/me')).toEqual({ status: 200, id: mel.id });
    const { body } = await upload(server, mel, { content: await png(8, 8), filename: 'a.png' });
    expect((await asked(page, body.url)).status).toBe(200);
    expect(await socketAt(page, new URL('/', page.url()).host)).toBe('registered');
    // The file opens in a tab of its own, as a person opens it.
    const reply = await page.goto(new URL(body.url, page.url()).href);
    expect(reply?.status()).toBe(200);
    await page.goto(`${server.url}/api/getUsersMe`);
    const out = { method: 'DELETE' };
    expect((await asked(page, '/api/v1/sessions/current', out)).status).toBe(200);
    expect((await asked(page, '/api/v1/users/me')).status).toBe(401);
    expect(faults).toEqual([]);
  },
);

ifThere.each([
  { where: 'another port of the same site', host: '127.0.0.1' },
  { where: 'another site', host: 'localhost' },
])('a page on $where does nothing with the cookie', async ({ host }) => {
  const { server, page } = await opened();
  const { mel } = server.people;
  await logIn(page, mel.email);
  const { body } = await upload(server, mel, { content: await png(8, 8), filename: 'a.png' });
  const seen: string[] = [];
  page.context().on('response', (response) => {
    const url = new URL(response.url());
    if (url.port === String(server.app.port)) seen.push(`${response.status()} ${url.pathname}`);
  });
  const port = await serveEvilPage({ target: server.url, file: body.url, email: mel.email });
  await page.goto(`http://${host}:${port}/`);
  await page.waitForFunction('document.title === "done"');
  expect(await page.evaluate('[window.socket, window.image]')).toEqual(['refused', 'refused']);
  await expect
    .poll(() => [...new Set(seen)].sort())
    .toEqual(
      ['401 /api/v1/users/me', '403 /api/v1/sessions', '403 /api/v1/users/me/status'].sort(),
    );
  // A form that leads the whole tab there is refused as well.
  await page.evaluate('document.forms[0].submit()');
  await page.waitForURL(`${server.url}/api/v1/users/me/status`);
  const status = await server.get(mel, `/users/${mel.id}/status`);
  expect(status.body.status).toEqual({});
});

async function opened() {
  const server = await startServer();
  await givePasswords(server, server.people.mel);
  const { page, faults } = await openTab();
  await page.goto(`${server.url}/api/getUsersMe`);
  return { server, page, faults };
}

/** Sends a request from within the page, as its scripts do. */
const asked = (page: Tab, path: string, options: RequestInit = {}) =>
  page.evaluate(
    async ([url, init]) => {
      const response = await fetch(url, init);
      const text = await response.text();
      const id = text.startsWith('{') ? JSON.parse(text).user_id : undefined;
      return { status: response.status, ...(id === undefined ? {} : { id }) };
    },
    [path, options] as const,
  );

const logIn = (page: Tab, email: string) =>
  asked(page, '/api/v1/sessions', {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ username: email, password: PASSWORD }).toString(),
  });

/** Registers over a socket of the page; returns the type of the answer. */
const socketAt = (page: Tab, host: string) =>
  page.evaluate(
    (at) =>
      new Promise((resolve) => {
        const socket = new WebSocket(`ws://${at}/api/v1/events/socket`, 'chat.v1.json');
        socket.onopen = () => socket.send('{"type":"register"}');
        socket.onmessage = ({ data }) => resolve(JSON.parse(data).type);
        socket.onclose = ({ code }) => resolve(code);
      }),
    host,
  );

interface Attacked {
  readonly target: string;
  readonly file: string;
  readonly email: string;
}

/** Serves a page that tries all that pages can try; returns its port. */
async function serveEvilPage({ target, file, email }: Attacked): Promise<number> {
  const log = new URLSearchParams({ username: email, password: PASSWORD }).toString();
  const page = `<!doctype html><title>begun</title>
<form method="post" action="${target}/api/v1/users/me/status">
<input name="status_text" value="taken over"></form>
<script type="module">
const all = { credentials: 'include', mode: 'no-cors' };
const form = { ...all, method: 'POST', body: new URLSearchParams('status_text=taken+over') };
const image = new Image();
image.src = '${target}${file}';
await Promise.allSettled([
  new Promise((resolve) => {
    image.onload = () => { window.image = 'shown'; resolve(); };
    image.onerror = () => { window.image = 'refused'; resolve(); };
  }),
  fetch('${target}/api/v1/users/me', all),
  fetch('${target}/api/v1/users/me/status', form),
  fetch('${target}/api/v1/sessions', { ...form, body: new URLSearchParams('${log}') }),
  new Promise((resolve) => {
    const socket = new WebSocket('${target.replace('http', 'ws')}/api/v1/events/socket', 'chat.v1.json');
    socket.onopen = () => { window.socket = 'open'; resolve(); };
    socket.onerror = () => { window.socket = 'refused'; resolve(); };
  }),
]);
document.title = 'done';
</script>`;
  const server = http.createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end(page);
  });
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, resolve));
  return (server.address() as AddressInfo).port;
}
