import { join } from 'node:path';
import { describe, expect, inject, test } from 'vitest';
import { type ClientProcess, startClient } from './client-process.ts';
import { untilHeard } from './listening.ts';
import { heard, heardContent, listen, pythonProgram, startLibrary } from './python-client.ts';
import { type Served, serveClients } from './served.ts';

describe.skipIf(inject('pythonClients') === null)('a bot of the bot library', () => {
  test('answers who mentions it in a channel, and who writes to it', async () => {
    const server = await serveClients();
    const ada = await runBot(server);

    await ada.call('send_message', inChannel('@**Demo Bot** tweet'));
    expect((await heardContent(ada, 'You said: tweet'))['message']).toMatchObject({
      display_recipient: 'general',
      subject: 'birds',
      sender_id: server.person('bot').id,
    });
    await ada.call('send_message', toBot(server, 'Only between us'));
    expect((await heardContent(ada, 'You said: Only between us'))['message']).toMatchObject({
      type: 'private',
    });
  });

  test('goes on when the server was killed and started again, and answers once', async () => {
    const server = await serveClients();
    const ada = await runBot(server);

    await server.kill();

    await ada.call('send_message', inChannel('@**Demo Bot** after'));
    await heardContent(ada, 'You said: after');
    await ada.call('send_message', inChannel('@**Demo Bot** last'));
    await heardContent(ada, 'You said: last');
    const answers = ada.heard.map(({ event }) => event.message?.content ?? '');
    expect(answers.filter((content) => /^You said: (after|last)/.test(content))).toEqual([
      'You said: after',
      'You said: last',
    ]);
  });
});

/** Runs it; somebody who talks with it, when it has answered for the first time. */
async function runBot(server: Served): Promise<ClientProcess> {
  const ada = startLibrary(server, 'ada');
  await listen(ada, ['message']);
  const bot = join(import.meta.dirname, 'echo-bot.py');
  const file = server.credentialsFile('bot');
  startClient(pythonProgram('zulip-run-bot'), ['--config-file', file, bot]);
  await untilHeard(
    (attempt) => ada.call('send_message', toBot(server, `Are you there? (${attempt})`)),
    heard(ada, 'message', ({ message }) => message.sender_id === server.person('bot').id),
  );
  return ada;
}

const inChannel = (content: string) => ({ type: 'stream', to: 'general', topic: 'birds', content });

const toBot = (server: Served, content: string) => ({
  type: 'private',
  to: [server.person('bot').email],
  content,
});
