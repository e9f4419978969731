import { expect, test } from 'vitest';
import { freePort } from '../../../bench/servers/free-port.ts';
import { addressAt, mailedTo } from '../../support/notifications/incoming-mails.ts';
import { personOf, startProcess } from '../../support/processes/start-process.ts';

test('a mail that the writer has taken comes to clients of gateways at once', async () => {
  const port = await freePort();
  const env = { CONFAB_GATEWAYS: '1', CONFAB_MAIL_IN: `127.0.0.1:${port}` };
  const server = await startProcess(env);
  const mel = personOf(server, 'mel');
  const to = await addressAt(server, mel, mel.id);
  const queue = await server.register(personOf(server, 'max'), { event_types: ['message'] });
  const mail = { to, subject: 'Tea', text: 'hello', messageId: '<1@elsewhere.example>' };
  const first = await mailedTo(port, mail);
  expect(first).toMatchObject({ code: 250 });
  expect(await queue.next()).toMatchObject([{ message: { content: 'hello' } }]);
  expect(await mailedTo(port, mail)).toEqual(first);
  expect(await queue.now()).toEqual([]);
});
