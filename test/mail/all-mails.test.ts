import { expect, test } from 'vitest';
import { MAIL_IN } from '../support/notifications/incoming-mails.ts';
import { mailsAfter, startMailServer } from '../support/notifications/mail-server.ts';
import { PERIOD, say, whisper } from '../support/notifications/missed-mails.ts';
import { openPage } from '../support/pages/page.ts';
import { addApp } from '../support/people/second-steps.ts';
import { givePasswords, PASSWORD } from '../support/people/session-browser.ts';
import { startServer, type TestServer } from '../support/start-server.ts';

const DAY = 86_400_000;

async function start() {
  const mailServer = await startMailServer();
  const env = { ...MAIL_IN, CONFAB_SMTP_URL: mailServer.url };
  const server = await startServer({ channels: ['general', 'design'], env });
  return { ...mailServer, server };
}

const EVIL = 'https://evil.example/accounts/password/x';

/** Has the server send each kind of mail. */
async function causeAll(server: TestServer) {
  const { ada, mel, max, gus } = server.people;
  await givePasswords(server, mel);
  await say(server, max, {
    topic: '<b>tea</b>',
    content: '@**Mel Member** [plan](https://example.org/plan) :smile:\n\n1. one\n2. two',
  });
  await whisper(server, max, [gus], 'hello');
  await server.post(ada, '/invites', {
    invitee_emails: 'zoe@example.com',
    stream_ids: [],
    invite_expires_in_minutes: 1_000,
  });
  await server.patch(max, '/settings', { email: 'maxine@example.com' });
  await addApp(server, mel, { password: PASSWORD, at: server.clock.now() });
  await openPage(`http://127.0.0.1:${server.app.port}/accounts/password/reset/`, {
    method: 'POST',
    form: { email: mel.email },
  });
}

/** The words of a text; those of HTML without its markup. */
const wordsOf = (text: string) =>
  (text.match(/[\p{L}\p{N}@#:/._&?=-]+/gu) ?? []).map((word) => word.replace(/[.:]+$/, ''));

function shownIn(html: string): string {
  const body = html.slice(html.indexOf('<body>'));
  const targets = [...body.matchAll(/href="([^"]*)"/g)].map(([, target = '']) => target);
  return `${body.replace(/<[^>]*>/g, ' ')} ${targets.join(' ')}`
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
}

test('all mails are text and HTML with the same words, load nothing, and are known as automatic', async () => {
  const mailing = await start();
  const { server } = mailing;
  const { ada, gus } = server.people;
  await server.set('digest_emails_enabled', true);
  await causeAll(server);
  await mailsAfter(mailing, PERIOD);
  await server.delete(ada, `/users/${gus.id}`, {
    deactivation_notification_comment: `You left.\n\n${EVIL}`,
  });
  await mailsAfter(mailing, 6 * DAY);
  await say(server, ada, { to: 'design', topic: 'logo', content: 'new' });
  let left = 8;
  while (left > 0 && !mailing.received.some(({ headers }) => isDigest(headers))) {
    left -= 1;
    await mailsAfter(mailing, DAY);
    await mailsAfter(mailing, 3_000);
  }
  const subjects = mailing.received.map(({ headers }) => headers['subject'] ?? '');
  for (const expected of [
    '#general > <b>tea</b>',
    'Direct messages from Max Member',
    /has invited you to join/,
    'Confirm your new email address',
    'An app for your log-ins was added',
    'Set your password',
    'Your account was deactivated',
    /^While you were away from/,
  ]) {
    expect(subjects).toContainEqual(
      typeof expected === 'string' ? expected : expect.stringMatching(expected),
    );
  }
  for (const { headers, text, html } of mailing.received) {
    expect(headers['content-type']).toMatch(/^multipart\/alternative/);
    expect(headers['auto-submitted']).toBe('auto-generated');
    const shown = shownIn(html);
    // The marks of lists, quotes and signatures are drawn in HTML, and links have other words.
    const body = text.split('\n-- \n', 1)[0] ?? '';
    expect(wordsOf(body).filter((word) => !isMark(word) && !shown.includes(word))).toEqual([]);
    expect(html).not.toMatch(/<(?:script|img|link|iframe|form)\b|\bsrc=|url\(|@import| on\w+=/i);
    expect(html).toContain('<meta name="color-scheme" content="light dark">');
    expect(html).not.toContain('<b>tea</b>');
  }
  // The words of an administrator get no button, though they look like a link of the service.
  expect(mailing.received.some(({ html }) => html.includes(`href="${EVIL}"`))).toBe(true);
  const buttons = mailing.received.flatMap(({ html }) =>
    Array.from(html.matchAll(/class="button" href="([^"]*)"/g), ([, target = '']) => target),
  );
  expect(buttons.length).toBeGreaterThanOrEqual(3);
  expect(buttons.filter((target) => !target.startsWith('http://test.localhost/'))).toEqual([]);
  expect(server.bugs).toEqual([]);
});

const isMark = (word: string) => /^(?:-*|\d+)$/.test(word);
const isDigest = (headers: Readonly<Record<string, string>>) =>
  headers['subject']?.startsWith('While you were away') === true;

test('mails about one conversation thread together, and can be sorted and ended', async () => {
  const mailing = await start();
  const { server } = mailing;
  const { mel, max } = server.people;
  const mention = (topic: string) => say(server, max, { topic, content: '@**Mel Member**' });
  const received: (typeof mailing.received)[number][] = [];
  for (const topic of ['Tea', 'tea', 'cake']) {
    await mention(topic);
    received.push(...(await mailsAfter(mailing, PERIOD)));
  }
  await whisper(server, max, [mel]);
  received.push(...(await mailsAfter(mailing, PERIOD)));
  const of = (name: string) => received.map(({ headers }) => headers[name]);
  const [tea, again, cake, direct] = of('references');
  expect(again).toBe(tea);
  expect(new Set([tea, cake, direct]).size).toBe(3);
  for (const reference of [tea, cake, direct]) {
    expect(reference).toMatch(/^<conversation\.[0-9a-f]{32}@test\.localhost>$/);
  }
  expect(of('in-reply-to')).toEqual(of('references'));
  expect(new Set(of('message-id')).size).toBe(4);
  const list = of('list-id')[0];
  expect(list).toMatch(/^<channel-\d+\.test\.localhost>$/);
  expect(of('list-id')).toEqual([list, list, list, undefined]);
  expect(new Set(of('list-unsubscribe-post'))).toEqual(new Set(['List-Unsubscribe=One-Click']));
  for (const [index, unsubscribe] of of('list-unsubscribe').entries()) {
    expect(unsubscribe).toMatch(/^<http:\/\/test\.localhost\/unsubscribe\/\w+>$/);
    const target = unsubscribe?.slice(1, -1) ?? '';
    expect(received[index]?.text).toContain(`\nTo end these mails: ${target}\n`);
    expect(received[index]?.html).toContain(`<a href="${target}">End these mails</a>`);
    expect(received[index]?.text).toContain('An answer to this mail goes into the conversation.');
  }
});

test('a server with a public URL has mail addresses that mail servers find', async () => {
  const mailServer = await startMailServer();
  const server = await startServer({
    channels: ['general'],
    env: {
      ...MAIL_IN,
      CONFAB_SMTP_URL: mailServer.url,
      CONFAB_PUBLIC_URL: 'https://chat.example.com:8443',
    },
  });
  const { mel, max } = server.people;
  await whisper(server, max, [mel]);
  const [mail] = await mailsAfter({ ...mailServer, server }, PERIOD);
  expect(mail?.headers['from']).toBe('Max Member <noreply@chat.example.com>');
  expect(mail?.headers['reply-to']).toMatch(/^reply\.[\w.]+@chat\.example\.com$/);
  expect(mail?.headers['message-id']).toMatch(/@chat\.example\.com>$/);
});
