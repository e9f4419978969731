import { expect, test } from 'vitest';
import { MAIL_LENGTH_MAX, MISSED_MESSAGES_PER_USER_MAX } from '../../src/domain/limits/outbox.ts';
import { mailsAfter, withMailServer } from '../support/notifications/mail-server.ts';
import { PERIOD, say, told, whisper } from '../support/notifications/missed-mails.ts';

test('the name of the organization is in the subject for those who always want it', async () => {
  const mailing = await withMailServer();
  const { server } = mailing;
  const { mel, max } = server.people;
  await server.patch(mel, '/settings', { realm_name_in_email_notifications_policy: 2 });
  await whisper(server, max, [mel]);
  expect(told(await mailsAfter(mailing, PERIOD))).toEqual([
    'mel: [test] Direct messages from Max Member',
  ]);
});

test('a mail has the newest of very many messages', async () => {
  const mailing = await withMailServer();
  const { server } = mailing;
  const { mel, max } = server.people;
  const ids: number[] = [];
  for (let index = 0; index <= MISSED_MESSAGES_PER_USER_MAX; index++) {
    ids.push(await whisper(server, max, [mel], `word${index}.`));
  }
  await mailsAfter(mailing);
  const noted = await server.perform((tx) =>
    Array.from(tx.missedMessages.keys({}), ([, id]) => id),
  );
  expect(noted).toEqual(ids.slice(1));
  const [mail] = await mailsAfter(mailing, PERIOD);
  expect(mail?.text).toContain('word1.');
  expect(mail?.text).not.toContain('word0.');
});

test('a mail shows as many messages as fit, and the number of the others', async () => {
  const mailing = await withMailServer();
  const { server } = mailing;
  const { mel, max } = server.people;
  // Each message is there as text and as HTML, with some two hundred characters around it.
  const shown = Math.floor(MAIL_LENGTH_MAX / 20_150);
  for (let index = 0; index < shown + 2; index++) {
    await whisper(server, max, [mel], 'x'.repeat(10_000));
  }
  const [mail] = await mailsAfter(mailing, PERIOD);
  expect(mail?.text.match(/x{10000}/g)).toHaveLength(shown);
  expect(mail?.html.match(/x{10000}/g)).toHaveLength(shown);
  expect(mail?.text).toContain('\n\nAnd 2 more.\n');
  expect(mail?.html).toContain('<p>And 2 more.</p>');
});

test('a mail in which all messages fit names no others', async () => {
  const mailing = await withMailServer();
  const { server } = mailing;
  const { mel, max } = server.people;
  const shown = Math.floor(MAIL_LENGTH_MAX / 20_200);
  for (let index = 0; index < shown; index++) {
    await whisper(server, max, [mel], 'x'.repeat(10_000));
  }
  const [mail] = await mailsAfter(mailing, PERIOD);
  expect(mail?.text.match(/x{10000}/g)).toHaveLength(shown);
  expect(mail?.text).not.toContain('more.');
});

test('names are shown as text, also with markup in them', async () => {
  const mailing = await withMailServer();
  const { server } = mailing;
  const { ona, mel } = server.people;
  await server.patch(ona, '/settings', { full_name: 'Ona & Co' });
  await say(server, ona, { topic: '<b>"x"</b>', content: '@**Mel Member** <i>no</i>' });
  const [mail] = await mailsAfter(mailing, PERIOD);
  expect(mail?.headers['subject']).toBe('#general > <b>"x"</b>');
  expect(mail?.html).toContain('<b>Ona &amp; Co</b>');
  expect(mail?.html).toContain('&lt;i&gt;no&lt;/i&gt;');
  expect(mail?.to).toBe(mel.email);
});
