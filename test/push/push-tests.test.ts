import { expect, test } from 'vitest';
import { runCommand } from '../../src/admin/commands.ts';
import { runConfab } from '../support/processes/run.ts';
import { browserKeys, startPushService } from '../support/push/browser.ts';
import { startApns, startFcm, TOPIC } from '../support/push/phone-services.ts';
import { settled } from '../support/push/settle.ts';
import { startServer } from '../support/start-server.ts';

type Params = Readonly<Record<string, unknown>>;

const TEST = '/mobile_push/test_notification';

async function withAll() {
  const answers = { web: 201, apns: 200, fcm: 200 };
  const keys = browserKeys();
  const web = await startPushService(keys, () => ({ status: answers.web }));
  const apns = await startApns(() => ({ status: answers.apns, reason: 'InvalidProviderToken' }));
  const fcm = await startFcm(() => ({ status: answers.fcm, code: 'UNREGISTERED' }));
  const server = await startServer({
    env: { ...apns.env, ...fcm.env, CONFAB_WEB_PUSH_PRIVATE_ADDRESSES: '1' },
  });
  const { mel } = server.people;
  const { p256dh, auth } = keys;
  const endpoint = `${web.origin}/s/1`;
  const post = async (path: string, params: Params) => {
    expect((await server.post(mel, path, params)).status).toBe(200);
  };
  await post('/users/me/web_push', { endpoint, p256dh, auth });
  await post('/users/me/apns_device_token', { token: 'C0FFEE', appid: TOPIC });
  await post('/users/me/android_gcm_reg_id', { token: 'a:b' });
  const counts = () => [web, apns, fcm].map(({ pushed }) => pushed.length);
  return { server, mel, web, apns, fcm, endpoint, answers, counts };
}

test('a test goes to the device that is named, or to all; one that is not known is refused', async () => {
  const { server, mel, web, apns, fcm, endpoint, counts, answers } = await withAll();
  const { max } = server.people;
  const asked = async (params: Params) => {
    const { status, body } = await server.post(mel, TEST, params);
    await settled(server);
    return status === 200 ? counts() : { status, code: body['code'] };
  };
  expect(await asked({ token: endpoint })).toEqual([1, 0, 0]);
  // A token of APNs is the same in either case.
  expect(await asked({ token: 'c0ffee' })).toEqual([1, 1, 0]);
  expect(await asked({ token: 'a:b' })).toEqual([1, 1, 1]);
  expect(await asked({})).toEqual([2, 2, 2]);
  expect(web.pushed[0]?.notice).toMatchObject({ type: 'test', user_id: mel.id });
  expect(apns.pushed[0]?.payload).toMatchObject({
    aps: { alert: { body: 'Notifications reach this device.' } },
    notice: { type: 'test' },
  });
  expect(fcm.pushed[0]).toMatchObject({ data: { type: 'test' } });
  const unknown = { status: 400, code: 'INVALID_PUSH_DEVICE_TOKEN' };
  expect(await asked({ token: 'beef' })).toEqual(unknown);
  expect((await server.post(max, TEST, { token: 'a:b' })).body).toMatchObject({
    code: 'INVALID_PUSH_DEVICE_TOKEN',
  });
  // A device that the service does not know is not known here either from then on.
  answers.fcm = 404;
  await asked({ token: 'a:b' });
  expect(await asked({ token: 'a:b' })).toEqual(unknown);
});

test('an operator sees what each service answers', async () => {
  const { server, mel, answers, endpoint } = await withAll();
  const run = (email = mel.email) => runCommand(server.app.realms, 'push test', { email });
  const service = new URL(endpoint).host;
  const rows = (web: string, apns: string, fcm: string) =>
    expect.arrayContaining([
      { device: 'browser', service, answer: web },
      { device: 'iOS device', service: 'Apple', answer: apns },
      { device: 'Android device', service: 'Google', answer: fcm },
    ]);
  expect(await run()).toEqual(rows('taken', 'taken', 'taken'));
  Object.assign(answers, { web: 413, apns: 403, fcm: 404 });
  const output = await run();
  expect(output).toEqual(
    rows(
      'refused: 413',
      expect.stringMatching(/^not taken: .* 403 InvalidProviderToken$/),
      'gone: the service does not know it any more, and it was removed',
    ),
  );
  expect(output).toHaveLength(3);
  expect(await run()).toHaveLength(2);
  expect(JSON.stringify(output)).not.toMatch(/c0ffee|a:b|\/s\/1/);
  await expect(run('nobody@example.com')).rejects.toThrow('nobody@example.com');
  expect(await run(server.people.max.email)).toEqual([]);
});

test('the exit code says whether a push was taken, and none has failed', async () => {
  const { server, mel, answers } = await withAll();
  const test = async (email = mel.email) => {
    const { code, stdout, stderr } = await runConfab(server.data, 'push', 'test', '--email', email);
    const lines = stdout.split('\n').filter((line) => line !== '');
    return { code, stderr, answers: lines.map((line) => JSON.parse(line).answer).sort() };
  };
  const taken = ['taken', 'taken', 'taken'];
  expect(await test()).toEqual({ code: 0, stderr: '', answers: taken });
  for (const [name, status] of [
    ['web', 413],
    ['apns', 403],
    ['fcm', 404],
  ] as const) {
    Object.assign(answers, { web: 201, apns: 200, fcm: 200, [name]: status });
    expect(await test()).toMatchObject({ code: 1, stderr: '' });
  }
  // Google does not know the device any more; those that are left have taken the push.
  answers.fcm = 200;
  expect(await test()).toEqual({ code: 0, stderr: '', answers: ['taken', 'taken'] });
  // A person without devices has no push that was taken.
  const { email } = server.people.max;
  const stderr = `confab: ${email} has no device that gets pushes\n`;
  expect(await test(email)).toEqual({ code: 1, stderr, answers: [] });
});

test('devices that a bouncer reaches are no failure, and alone no success', async () => {
  const keys = browserKeys();
  const web = await startPushService(keys, () => ({ status: 201 }));
  const server = await startServer({
    env: {
      CONFAB_WEB_PUSH_PRIVATE_ADDRESSES: '1',
      CONFAB_PUSH_BOUNCER_URL: 'http://127.0.0.1:1/push',
    },
  });
  const { mel } = server.people;
  const test = () => runConfab(server.data, 'push', 'test', '--email', mel.email);
  await server.post(mel, '/users/me/android_gcm_reg_id', { token: 'a:b' });
  expect(await test()).toMatchObject({ code: 1, stdout: expect.stringContaining('not asked') });
  const { p256dh, auth } = keys;
  await server.post(mel, '/users/me/web_push', { endpoint: `${web.origin}/s/1`, p256dh, auth });
  expect(await test()).toMatchObject({ code: 0, stdout: expect.stringContaining('not asked') });
});

test('a server that pushes to nobody says so', async () => {
  const server = await startServer({ env: { CONFAB_WEB_PUSH: '0' } });
  const email = server.people.mel.email;
  await expect(runCommand(server.app.realms, 'push test', { email })).rejects.toThrow(
    'This server sends no pushes',
  );
});

test('an account that Google gives no token to is a wrong key, and its pushes wait', async () => {
  let refusal: string | null = 'invalid_grant';
  const fcm = await startFcm(undefined, () => refusal);
  const server = await startServer({ env: fcm.env });
  const { mel, max } = server.people;
  await server.post(mel, '/users/me/android_gcm_reg_id', { token: 'a:b' });
  expect(await runCommand(server.app.realms, 'push test', { email: mel.email })).toMatchObject([
    {
      answer: 'not taken: the push service Google (tokens) answered with status 400 invalid_grant',
    },
  ]);
  await server.post(max, '/messages', { type: 'direct', to: [mel.id], content: 'soup' });
  expect(await settled(server)).toMatchObject([{ kind: 'fcm' }]);
  refusal = null;
  await server.advance(2_000);
  expect(await settled(server)).toEqual([]);
  expect(fcm.pushed).toHaveLength(1);
});
