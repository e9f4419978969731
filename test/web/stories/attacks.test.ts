import fc from 'fast-check';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { png } from '../../support/files/images.ts';
import { upload } from '../../support/files/uploads.ts';
import { anyFormula, anyText } from '../../support/markdown/content.ts';
import { sendMany } from '../../support/messages/many-messages.ts';
import { openHall } from '../../support/pages/hall.ts';
import { inForms } from '../../support/pages/in-browsers.ts';
import { startSite } from '../../support/pages/site.ts';

/** Attacks that were seen elsewhere, besides those of the generators of the safety test. */
const KNOWN = [
  '<script>globalThis.hit = 1</script>',
  '<img src=x onerror="globalThis.hit=1">',
  '[click](javascript:globalThis.hit=1)',
  '[click](JaVaScRiPt&colon;globalThis.hit=1)',
  '[click](data:text/html,<script>parent.hit=1</script>)',
  '<svg><animate onbegin="globalThis.hit=1" attributeName=x></svg>',
  '<iframe srcdoc="<script>parent.hit=1</script>"></iframe>',
  '<math><mtext><table><mglyph><style><img src=x onerror=globalThis.hit=1>',
  '```spoiler <img src=x onerror=globalThis.hit=1>\n<script>globalThis.hit=1</script>\n```',
  '```"><script>globalThis.hit=1</script>\ncode\n```',
  '$$\\href{javascript:globalThis.hit=1}{x}$$ $$\\includegraphics{https://x.org/a.png}$$',
  '![x](https://x.org/a.png" onerror="globalThis.hit=1)',
  '<a href="https://x.org" onclick="globalThis.hit=1">x</a>',
  '<form action="https://x.org"><input name=a><button>go</button></form>',
  '<base href="https://x.org/"><meta http-equiv=refresh content="0;url=https://x.org">',
  '<time:"><img src=x onerror=globalThis.hit=1>>',
  "{{constructor.constructor('globalThis.hit=1')()}}",
];

const SEED = 21;

/** Texts as the safety test has them; the hosts that they name are this machine's. */
function attacks(site: string): readonly string[] {
  const texts = fc.sample(anyText, { numRuns: 150, seed: SEED });
  const formulas = fc
    .sample(anyFormula, { numRuns: 80, seed: SEED })
    .flatMap((formula) => [`$$${formula}$$`, `\`\`\`math\n${formula}\n\`\`\``]);
  return [...KNOWN, ...texts, ...formulas]
    .map((text) => text.replace(/https?:\/\/(?:x\.org|page\.org|youtu\.be)/g, site))
    .map((text) => text.replace(/[\0\ud800-\udfff](?![\udc00-\udfff])/g, ''))
    .filter((text) => text.trim() !== '');
}

inForms(
  'messages with every attack of the safety test run nothing and ask nobody else',
  async (options) => {
    const image = await png(40, 30);
    const site = await startSite((_, response) => {
      response.writeHead(200, { 'content-type': 'image/png' });
      response.end(image);
    });
    const { server, at } = await openHall({ CONFAB_PREVIEW_PRIVATE_ADDRESSES: '1' }, options);
    const { max } = server.people;
    const { body } = await upload(server, max, { content: image, filename: 'a.png' });
    const texts = attacks(site.url);
    const sent = await sendMany(server, {
      as: max,
      topic: 'attacks',
      count: texts.length,
      content: (number) => texts[number - 1] ?? '',
    });
    const shown = [
      `[a.png](${body.url})`,
      `${site.url}/picture.png`,
      'Euler: $$e^{i\\pi} + 1 = 0$$',
    ];
    for (const content of shown) {
      const message = { type: 'stream', to: 'general', topic: 'attacks', content };
      sent.push((await server.post(max, '/messages', message)).body.id);
    }
    // The clock of the test stands still: thumbnails are made when it goes on.
    await server.advance(1);
    const { page, context } = await at('#inbox');
    // The policy tells of each breach, also of those that no error follows.
    await context.addInitScript(`addEventListener('securitypolicyviolation', (event) => {
    console.error('policy: ' + event.violatedDirective + ' ' + event.blockedURI);
  })`);
    await page.reload();
    await page.evaluate(
      `location.hash = '#narrow/channel/1-general/topic/attacks/near/${sent[0]}'`,
    );
    const seen = await seeAll(page, sent);
    expect(seen.ids.sort((one, other) => one - other)).toEqual(sent);
    expect(seen.forbidden).toEqual([]);
    expect(seen.formulas).toBeGreaterThan(30);
    expect(await page.evaluate('globalThis.hit')).toBeUndefined();
    // Pictures of this server and of others show; those of others come by way of this one.
    const pictures = `[...document.querySelectorAll('.feed-row .body img:not(.emoji)')].slice(-2)
      .map((one) => [new URL(one.src).pathname.split('/')[1], one.naturalWidth > 0])`;
    await expect
      .poll(() => page.evaluate(pictures))
      .toEqual([
        ['user_uploads', true],
        ['external_content', true],
      ]);
    expect(
      await page.evaluate(
        `document.querySelector('.feed-row:last-child math').getBoundingClientRect().height > 5`,
      ),
    ).toBe(true);
    expect(site.requests.length).toBeGreaterThan(0);
    expect(server.bugs).toEqual([]);
  },
  { isByKeysToo: false },
);

interface Seen {
  readonly ids: number[];
  /** Markup that no message may have. */
  readonly forbidden: string[];
  readonly formulas: number;
}

const BAD =
  'script, iframe, object, embed, style, link, meta, base, form, input, svg, frame, ' +
  '[srcdoc], [href^="javascript" i], [href^="data" i]';

/** Scrolls on and looks at each message, until all were seen or no more comes. */
const LOOK_AT_ALL = `(async (count) => {
  const feed = document.querySelector('.feed');
  const ids = new Set();
  const forbidden = [];
  const formulas = new Set();
  for (let still = 0; ids.size < count && still < 100; ) {
    for (const message of feed.querySelectorAll('article[data-id]')) {
      if (ids.has(message.dataset.id)) continue;
      ids.add(message.dataset.id);
      const all = [...message.querySelectorAll('.body *')];
      const handlers = all.filter((one) => [...one.attributes].some(({ name }) => name.startsWith('on')));
      const bad = all.filter((one) => one.matches(${JSON.stringify(BAD)}));
      for (const one of [...handlers, ...bad]) forbidden.push(one.outerHTML);
      if (message.querySelector('.body math') !== null) formulas.add(message.dataset.id);
    }
    const before = feed.scrollTop;
    feed.scrollTop += 250;
    const hasMoved = feed.scrollTop !== before;
    still = hasMoved ? 0 : still + 1;
    await new Promise((done) => setTimeout(done, hasMoved ? 0 : 50));
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  }
  return { ids: [...ids].map(Number), forbidden, formulas: formulas.size };
})`;

/** Returns what is seen from the first message to the last. */
async function seeAll(page: Page, ids: readonly number[]): Promise<Seen> {
  await page.locator(`article[data-id="${ids[0]}"]`).waitFor();
  return (await page.evaluate(`${LOOK_AT_ALL}(${ids.length})`)) as Seen;
}
