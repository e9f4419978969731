import { test } from 'vitest';
import { openHall } from '../../support/pages/hall.ts';
import { fillLively } from '../../support/pages/lively.ts';
test('probe', async () => {
  const hall = await openHall();
  console.time('fill');
  const { channels } = await fillLively(hall);
  console.timeEnd('fill');
  console.log(channels, hall.server.bugs);
  await hall.server.advance(1000);
  const { page, context } = await hall.at('#inbox');
  await page.waitForTimeout(1500);
  await page.screenshot({ path: '/tmp/p6-a.png' });
  await page.evaluate(`location.hash='#narrow/channel/${channels['design']}-design/topic/elevation.20profile'`);
  await page.waitForTimeout(1500);
  await page.screenshot({ path: '/tmp/p6-b.png' });
});
