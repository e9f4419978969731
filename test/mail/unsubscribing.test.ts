import { expect, test } from 'vitest';
import { mailsAfter, withMailServer } from '../support/notifications/mail-server.ts';
import { PERIOD, whisper } from '../support/notifications/missed-mails.ts';

test('one click without a log-in ends the mails about missed messages', async () => {
  const mailing = await withMailServer();
  const { server } = mailing;
  const { mel, max } = server.people;
  await whisper(server, max, [mel], 'one');
  const [mail] = await mailsAfter(mailing, PERIOD);
  expect(mail?.headers['list-unsubscribe-post']).toBe('List-Unsubscribe=One-Click');
  expect(mail?.headers['reply-to']).toBeUndefined();
  const [, path = ''] =
    /^<http:\/\/test\.localhost(\/unsubscribe\/\w+)>$/.exec(
      mail?.headers['list-unsubscribe'] ?? '',
    ) ?? [];
  const ask = (to: string, method: string) =>
    fetch(`${server.url}${to}`, {
      method,
      headers: { host: 'test.localhost', 'content-type': 'application/x-www-form-urlencoded' },
      ...(method === 'POST' ? { body: 'List-Unsubscribe=One-Click' } : {}),
    });
  expect((await ask(`${path.slice(0, -1)}x`, 'POST')).status).toBe(400);
  expect((await ask(path, 'GET')).status).toBe(200);
  const settings = () => server.perform((tx) => tx.users.get([mel.id])?.settings);
  expect((await settings())?.enable_offline_email_notifications).not.toBe(false);
  expect((await ask(path, 'POST')).status).toBe(200);
  expect(await settings()).toMatchObject({ enable_offline_email_notifications: false });
  await whisper(server, max, [mel], 'two');
  expect(await mailsAfter(mailing, PERIOD)).toEqual([]);
});
