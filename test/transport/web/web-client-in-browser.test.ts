import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { CHROMIUM, openTab } from '../../support/pages/browser.ts';
import { writePage } from '../../support/pages/built-page.ts';
import { startSite } from '../../support/pages/site.ts';
import { startServer } from '../../support/start-server.ts';

const inChromium = test.skipIf(CHROMIUM === null);

inChromium('the web client that was built runs under its policy', async () => {
  const folder = join(inject('dist'), 'bundle', 'web');
  const server = await startServer({ env: { CONFAB_WEB_DEV: folder } });
  const { page, faults } = await openTab();
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  const answer = await page.goto(server.url);
  expect(answer?.headers()['content-encoding']).toMatch(/^(?:br|gzip)$/);
  await page.waitForFunction('document.body.querySelector(":scope > :not(noscript)") !== null');
  expect(asked.filter((url) => !url.startsWith(`${server.url}/`))).toEqual([]);
  expect(faults).toEqual([]);
  expect(server.bugs).toEqual([]);
});

inChromium(
  'under the policy no text becomes markup or script, and nothing is asked elsewhere',
  async () => {
    const other = await startSite((_, response) => response.end('window.reached = 1;'));
    const hostile = {
      inline: '<script>window.reached = 1;</script><p onclick="window.reached = 1">p</p>',
      other: `<script src="${other.url}/x.js"></script><img src="${other.url}/x.png">`,
    };
    const main = `
    const tried = {};
    const attempt = (name, run) => { try { run(); tried[name] = 'ran'; } catch (error) { tried[name] = error.name; } };
    attempt('markup', () => { document.body.innerHTML = '<img src=x>'; });
    attempt('eval', () => { eval('1'); });
    attempt('policy', () => { trustedTypes.createPolicy('another', {}); });
    attempt('script', () => { document.createElement('script').src = '${other.url}/y.js'; });
    attempt('style', () => { document.body.style.color = 'red'; });
    attempt('the own policy', () => { trustedTypes.createPolicy('confab-message', {}); });
    fetch('${other.url}/z').then(() => { tried.fetch = 'ran'; }, (error) => { tried.fetch = error.name; })
      .finally(() => { document.title = JSON.stringify(tried); });
  `;
    const folder = writePage({
      'index.html': `<!doctype html><script type="module" src="/assets/main-1.js"></script><body>${hostile.inline}${hostile.other}`,
      'assets/main-1.js': main,
      'assets/style-1.css': '',
    });
    const server = await startServer({ env: { CONFAB_WEB_DEV: folder } });
    const { page } = await openTab();
    await page.goto(server.url);
    await page.waitForFunction('document.title !== ""');
    await page.getByText('p').click();
    expect(JSON.parse(await page.title())).toEqual({
      markup: 'TypeError',
      eval: 'EvalError',
      policy: 'TypeError',
      script: 'TypeError',
      style: 'ran',
      'the own policy': 'ran',
      fetch: 'TypeError',
    });
    expect(await page.evaluate('window.reached')).toBeUndefined();
    expect(other.requests).toEqual([]);
  },
);
