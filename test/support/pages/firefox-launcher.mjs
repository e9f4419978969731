#!/usr/bin/env node
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { WebSocket, WebSocketServer } from 'ws';

/**
 * The driver starts this in the place of Firefox; it starts Firefox, and stands between both. The
 * driver gives up on a browser that does not know this command, as Firefox 153 does not: it gets
 * the answer of a browser that does. All else passes unchanged, both ways.
 */
const UNKNOWN = 'emulation.setMediaFeaturesOverride';

const firefox = spawn('firefox-esr', process.argv.slice(2), {
  stdio: ['ignore', 'inherit', 'pipe'],
});
firefox.on('exit', (code) => process.exit(code ?? 1));
firefox.on('error', ({ message }) => {
  process.stderr.write(`Firefox does not start: ${message}\n`);
  process.exit(1);
});

createInterface({ input: firefox.stderr }).on('line', (line) => {
  const listening = /^WebDriver BiDi listening on (ws:\S+)/.exec(line);
  if (listening === null) process.stderr.write(`${line}\n`);
  else standBetween(listening[1] ?? '');
});

/** Says in the words of Firefox where the driver connects to. */
function standBetween(address) {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  server.on('listening', () => {
    process.stderr.write(`WebDriver BiDi listening on ws://127.0.0.1:${server.address().port}\n`);
  });
  server.on('connection', (driver) => {
    const browser = new WebSocket(`${address}/session`, { perMessageDeflate: false });
    const opened = new Promise((resolve) => browser.on('open', resolve));
    browser.on('message', (data) => driver.send(String(data)));
    driver.on('message', async (data) => {
      const { id, method } = JSON.parse(String(data));
      if (method === UNKNOWN) driver.send(JSON.stringify({ type: 'success', id, result: {} }));
      else await opened.then(() => browser.send(String(data)));
    });
    browser.on('close', () => driver.close());
    browser.on('error', () => driver.close());
    // A driver that was killed has told nobody to end the browser.
    driver.on('close', () => {
      browser.close();
      firefox.kill();
    });
  });
}
