import { expect, test } from 'vitest';
import { CHROMIUM } from '../../support/pages/browser.ts';
import { expectAsFresh } from '../../support/pages/shown.ts';
import { messageWith, openStory } from '../../support/pages/story.ts';
import { follow, say } from '../../support/pages/web-client.ts';

const inChromium = test.skipIf(CHROMIUM === null);

/** Each is a fault of a page, which a test makes by its script. */
const FAULTS = [
  {
    fault: 'a count in the left column',
    script: "document.querySelector('.left .count').firstChild.textContent = '7'",
  },
  {
    fault: 'a line that is not shown',
    script: `const sheet = new CSSStyleSheet();
      sheet.replaceSync('main .entry:first-child { display: none }');
      document.adoptedStyleSheets.push(sheet);`,
  },
  { fault: 'a message that is missing', script: "document.querySelector('article').remove()" },
  {
    fault: 'another text',
    script: "document.querySelector('article .body').textContent = 'Bread?'",
  },
] as const;

/**
 * Returns a script that makes the fault now, and in the same task as the page draws anything: one
 * moment without it would be enough for the check to pass.
 */
const afterEachDrawing = (script: string) => `(() => {
  const drawings = new MutationObserver(make);
  function make() {
    drawings.disconnect();
    try { ${script} } catch {}
    drawings.observe(document, { subtree: true, childList: true, characterData: true });
  }
  make();
})()`;

inChromium.each(FAULTS)(
  'the check of what is shown finds $fault',
  async ({ script }) => {
    const { server, at } = await openStory();
    const max = server.people['max'] ?? expect.fail('the demo has Max');
    for (const text of ['Soup?', 'Cake?']) await say(server, max, ['general', 'lunch'], text);
    await say(server, max, ['random', 'tea'], 'Tea?');
    const mel = await at('Mel Member');
    await follow(mel.page, '#feed');
    await messageWith(mel.page, 'Cake?').waitFor();
    await expectAsFresh(mel, server, mel.person);
    await follow(mel.page, '#inbox');
    await say(server, max, ['random', 'tea'], 'Milk?');
    await expect.poll(() => mel.page.title()).toMatch(/^\(1\)/);
    await mel.page.evaluate(afterEachDrawing(script));
    await expect(expectAsFresh(mel, server, mel.person, 2_000)).rejects.toThrow();
  },
  120_000,
);
