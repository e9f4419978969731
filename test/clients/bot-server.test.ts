import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, test } from 'vitest';
import { temporaryFolder } from '../support/scratch.ts';
import { type ClientProcess, type Line, startClient } from './client-process.ts';
import { heardContent, listen, pythonProgram, startLibrary } from './python-client.ts';
import { type Served, serveClients } from './served.ts';

const ECHO = join(import.meta.dirname, 'echo-bot.py');

describe.skipIf(inject('pythonClients') === null)('a bot that the bot server runs', () => {
  test('is called when somebody mentions it or writes to it, and answers where that was', async () => {
    const { server, botId, ada } = await runBotServer();

    await ada.call('send_message', inChannel('@**Echo** tweet'));
    expect((await heardContent(ada, 'You said: tweet'))['message']).toMatchObject({
      display_recipient: 'general',
      subject: 'birds',
      sender_id: botId,
    });
    await ada.call('send_message', toPeople([botId], 'Only between us'));
    expect((await heardContent(ada, 'You said: Only between us'))['message']).toMatchObject({
      type: 'private',
      sender_id: botId,
    });
    const group = [botId, server.person('mel').id];
    await ada.call('send_message', toPeople(group, 'The three of us'));
    const { message } = await heardContent(ada, 'You said: The three of us');
    expect(message.display_recipient).toHaveLength(3);
  });

  test('is called once for a message that was sent before the server was killed', async () => {
    const { server, ada } = await runBotServer();

    await ada.call('send_message', inChannel('@**Echo** before'));
    await server.kill();

    await heardContent(ada, 'You said: before');
    await ada.call('send_message', inChannel('@**Echo** after'));
    await heardContent(ada, 'You said: after');
    await server.restart();
    await ada.call('send_message', inChannel('@**Echo** last'));
    await heardContent(ada, 'You said: last');
    const answers = ada.heard.flatMap(({ event }) => event.message?.content ?? []);
    expect(answers.filter((content: string) => content === 'You said: after')).toHaveLength(1);
  });
});

interface BotServer {
  readonly server: Served;
  readonly botId: number;
  /** Somebody who talks with it. */
  readonly ada: ClientProcess;
}

/** A bot that calls a URL, and the program that answers there. */
async function runBotServer(): Promise<BotServer> {
  const server = await serveClients({ CONFAB_WEBHOOK_PRIVATE_ADDRESSES: '1' });
  const owner = server.person('mel');
  const { body: made } = await server.post(owner, '/bots', {
    full_name: 'Echo',
    short_name: 'echo',
    bot_type: 3,
    payload_url: JSON.stringify('http://127.0.0.1:1/'),
    interface_type: 1,
  });
  const { state } = await server.register(owner, { fetch_event_types: ['realm_bot'] });
  const { email, services } = state.realm_bots.find((bot: Line) => bot['user_id'] === made.user_id);
  const file = join(temporaryFolder(), 'botserverrc');
  const account = `email=${email}\nkey=${made.api_key}\nsite=${server.url}`;
  writeFileSync(file, `[${ECHO}]\n${account}\ntoken=${services[0].token}\n`, { mode: 0o600 });

  const program = startClient(pythonProgram('zulip-botserver'), ['-c', file, '--port', '0']);
  const [url] = await program.says(/http:\/\/127\.0\.0\.1:\d+/);
  await server.patch(owner, `/bots/${made.user_id}`, { service_payload_url: JSON.stringify(url) });
  const ada = startLibrary(server, 'ada');
  await listen(ada, ['message']);
  return { server, botId: made.user_id, ada };
}

const inChannel = (content: string) => ({ type: 'stream', to: 'general', topic: 'birds', content });

const toPeople = (to: readonly number[], content: string) => ({ type: 'private', to, content });
