import { expect, test } from 'vitest';
import {
  type Mailing,
  mailsAfter,
  startMailServer,
  withMailServer,
} from '../support/notifications/mail-server.ts';
import { say } from '../support/notifications/missed-mails.ts';
import { startServer } from '../support/start-server.ts';

const DAY = 86_400_000;

/** Lets days pass one by one, so that jobs of each day are done on it. */
async function digestsAfter(mailing: Mailing, days: number) {
  const mails = [];
  for (let day = 0; day < days; day += 1) {
    mails.push(...(await mailsAfter(mailing, DAY)));
    mails.push(...(await mailsAfter(mailing, 3_000)));
  }
  return mails.filter(({ headers }) => headers['subject']?.startsWith('While you were away'));
}

test('people who were away get one mail a week, of what they may read and have not muted', async () => {
  const mailing = await withMailServer();
  const { server } = mailing;
  const { mel, max, ona } = server.people;
  await server.set('digest_emails_enabled', true);
  await server.post(ona, '/users/me/subscriptions', {
    subscriptions: [{ name: 'secret' }],
    principals: [ona.id],
    invite_only: true,
  });
  const { body } = await server.get(mel, '/get_stream_id', { stream: 'general' });
  await server.post(mel, '/user_topics', {
    stream_id: body.stream_id as number,
    topic: 'noise',
    visibility_policy: 1,
  });
  await server.leap(6 * DAY);
  await say(server, max, { topic: 'tea', content: 'one' });
  await say(server, ona, { topic: 'tea', content: 'two' });
  await say(server, max, { topic: 'noise', content: 'three' });
  await say(server, ona, { to: 'secret', topic: 'plan', content: 'four' });

  const mails = (await digestsAfter(mailing, 8)).filter(({ to }) => to === mel.email);
  expect(mails).toHaveLength(1);
  const [mail] = mails;
  expect(mail?.text).toContain('#general > tea: 2 messages by');
  expect(mail?.html).toContain('#general &gt; tea');
  expect(mail?.text).not.toMatch(/noise|secret|plan/);
  expect(server.bugs).toEqual([]);

  const [, path = ''] =
    /<http:\/\/test\.localhost(\/unsubscribe\/\w+)>/.exec(
      mail?.headers['list-unsubscribe'] ?? '',
    ) ?? [];
  const ended = await fetch(`${server.url}${path}`, {
    method: 'POST',
    headers: { host: 'test.localhost', 'content-type': 'application/x-www-form-urlencoded' },
    body: 'List-Unsubscribe=One-Click',
  });
  expect(ended.status).toBe(200);
  expect(await server.perform((tx) => tx.users.get([mel.id])?.settings)).toMatchObject({
    enable_digest_emails: false,
  });
  await say(server, max, { topic: 'tea', content: 'five' });
  const later = await digestsAfter(mailing, 8);
  expect(later.filter(({ to }) => to === mel.email)).toEqual([]);
});

test('without the setting of the organization there are none', async () => {
  const mailing = await withMailServer();
  await mailing.server.leap(6 * DAY);
  await say(mailing.server, mailing.server.people.max, { content: 'one' });
  expect(await digestsAfter(mailing, 8)).toEqual([]);
});

test('a restart, and another day of the week, bring no second mail', async () => {
  const mailServer = await startMailServer();
  const env = { CONFAB_SMTP_URL: mailServer.url };
  const server = await startServer({ channels: ['general'], env });
  const mailing = { ...mailServer, server };
  const { mel, max } = server.people;
  await server.set('digest_emails_enabled', true);
  await server.leap(6 * DAY);
  await say(server, max, { content: 'one' });
  const own = (mails: Awaited<ReturnType<typeof digestsAfter>>) =>
    mails.filter(({ to }) => to === mel.email).length;
  let count = 0;
  for (let day = 0; day < 8 && count === 0; day += 1) count = own(await digestsAfter(mailing, 1));
  expect(count).toBe(1);
  await say(server, max, { content: 'two' });
  await server.restart();
  expect(own(await digestsAfter(mailing, 1))).toBe(0);
  const { weekday = 0 } = (await server.perform((tx) => tx.digestPlan.get(['plan']))) ?? {};
  await server.set('digest_weekday', (weekday + 2) % 7);
  expect(own(await digestsAfter(mailing, 4))).toBe(0);
  expect(server.bugs).toEqual([]);
});
