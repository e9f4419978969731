import { setTimeout as sleep } from 'node:timers/promises';
import type { BrowserContext } from 'playwright-core';
import { expect } from 'vitest';
import { QUEUE_IDLE_SECONDS } from '../../../src/domain/limits/event-queues.ts';
import { openProxy } from '../../support/client-library/cutting-proxy.ts';
import { openHall } from '../../support/pages/hall.ts';
import { inForms } from '../../support/pages/in-browsers.ts';
import { expectAsFresh } from '../../support/pages/shown.ts';
import {
  messageWith,
  type Participant,
  send,
  shownTexts,
  textsIn,
} from '../../support/pages/story.ts';
import { say } from '../../support/pages/web-client.ts';
import { runs } from '../../support/runs.ts';
import type { TestServer } from '../../support/start-server.ts';

const GENERAL = ['general', 'lunch'] as const;
const LUNCH = '#narrow/channel/1-general/topic/lunch';

/**
 * The clocks of both sides are moved by ten minutes, which end the event queues: timers of the page
 * that are due fire once, as after a computer slept. `ALL_RUNS=most` waits for ten real minutes.
 */
const REAL_SECONDS = runs({ few: 0, all: 0, most: QUEUE_IDLE_SECONDS });
const STEP_SECONDS = 10;
/** A queue counts as idle some seconds after its reader has left, and the idle are looked for. */
const NOTICED_SECONDS = 30;

inForms(
  'ten minutes offline, a reload in between: what was written is sent once, what was missed is there',
  async (options) => {
    const hall = await openHall({}, options);
    const { server } = hall;
    const { max } = server.people;
    const proxy = await openProxy(() => server.app.port);
    const mel = await hall.at(LUNCH, { url: proxy.url });
    const { context } = mel;
    if (REAL_SECONDS === 0) await context.clock.install();
    await say(server, max, GENERAL, 'Who is in?');
    await messageWith(mel.page, 'Who is in?').waitFor();
    // One tab stays open for all the time, the other one is loaded again on the way.
    const other = { ...(await mel.tab(`${proxy.url}/${LUNCH}`)), person: mel.person };
    await messageWith(other.page, 'Who is in?').waitFor();
    await other.page.evaluate(NOTE);

    const network = async (isThere: boolean) => {
      proxy.close(!isThere);
      if (!isThere) proxy.cut();
      await context.setOffline(!isThere);
    };
    await mel.page.bringToFront();
    await network(false);
    await stateOf(mel).getByText('offline').waitFor();
    for (const text of ['one', 'two']) await send(mel, text);
    await stateOf(mel).getByText('offline, 2 messages waiting').waitFor();
    // Others write meanwhile: they are not kept from it.
    await say(server, max, GENERAL, 'Are you there?');
    await passes(server, context, QUEUE_IDLE_SECONDS / 2);
    // Without a network a reload shows nothing of ours, and loses nothing.
    await mel.page.reload().catch(() => undefined);
    await expect.poll(() => mel.page.locator('.feed').count()).toBe(0);
    await stateOf(other).getByText('offline, 2 messages waiting').waitFor();
    await passes(server, context, QUEUE_IDLE_SECONDS / 2 + NOTICED_SECONDS);
    await say(server, max, GENERAL, 'We go now');
    await network(true);
    const again = { ...(await mel.tab(`${proxy.url}/${LUNCH}`)), person: mel.person };
    await mel.page.close();
    await messageWith(again.page, 'We go now').waitFor();

    const all = ['Who is in?', 'Are you there?', 'We go now'];
    const sent = ['one', 'two'];
    await expect
      .poll(async () => (await textsIn(server, max, GENERAL)).toSorted())
      .toEqual([...all, ...sent].toSorted());
    const texts = await textsIn(server, max, GENERAL);
    expect(texts.filter((text) => sent.includes(text))).toEqual(sent);
    for (const tab of [again, other]) {
      await expect.poll(() => shownTexts(tab.page)).toEqual(texts);
      await tab.page.locator('article.pending').waitFor({ state: 'detached' });
    }
    // The queue of the tab that stayed has ended meanwhile, and the tab says so.
    await expect.poll(() => other.page.evaluate('said.join()')).toContain('started anew');
    expect(await other.page.evaluate('said.join()')).not.toContain('caught up');
    for (const tab of [again, other]) await expectAsFresh(tab, server, mel.person);
  },
  { timeout: 180_000 + (REAL_SECONDS + NOTICED_SECONDS) * 1_000 },
);

const stateOf = ({ page }: Participant) => page.locator('.own').getByRole('status');

/** Notes all that the state of the connection says: some of it stays for two seconds only. */
const NOTE = `(() => {
  const status = document.querySelector('.own [role=status]');
  globalThis.said = [];
  new MutationObserver(() => said.push(status.textContent))
    .observe(status, { childList: true, characterData: true, subtree: true });
})()`;

/** Time passes for the server and for all pages of a browser. */
async function passes(server: TestServer, context: BrowserContext, seconds: number) {
  if (REAL_SECONDS === 0) {
    await server.advance(seconds * 1_000);
    await context.clock.fastForward(seconds * 1_000);
    return;
  }
  for (let passed = 0; passed < seconds; passed += STEP_SECONDS) {
    await sleep(STEP_SECONDS * 1_000);
    await server.advance(STEP_SECONDS * 1_000);
  }
}
