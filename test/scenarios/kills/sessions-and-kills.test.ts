import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FROM_OWN_PAGE, openBrowser } from '../../support/people/session-browser.ts';
import { startProcess } from '../../support/processes/start-process.ts';

test('a session that was answered survives a kill, and one that was ended does not come back', async () => {
  const server = await startProcess();
  const { users } = JSON.parse(readFileSync(join(server.data, 'demo-credentials.json'), 'utf8'));
  const demo = users.find(({ email }: { email: string }) => email.startsWith('mel@'));
  const browser = openBrowser(server);
  const other = openBrowser(server);
  const log = { username: demo.email, password: demo.password };
  for (const one of [browser, other]) {
    expect((await one.send('POST', '/sessions', log)).status).toBe(200);
  }
  await other.send('DELETE', '/sessions/current', {}, FROM_OWN_PAGE);
  const gone = other.cookie;
  expect(gone).toBe('');
  await server.kill();
  expect((await browser.get('/users/me')).body.user_id).toBe(demo.user_id);
  expect((await browser.get('/sessions')).body.sessions).toHaveLength(1);
  // The button of the log-in page works after a kill as well.
  const { body } = await other.get('/server_settings');
  expect(body.service_demo_people).toHaveLength(6);
  const people = await other.send('POST', '/sessions/demo', { user_id: demo.user_id });
  expect(people.status).toBe(200);
  await server.kill();
  expect((await other.get('/users/me')).body.user_id).toBe(demo.user_id);
});
