import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, test } from 'vitest';
import { type ClientProcess, type Line, startClient } from './client-process.ts';
import { untilHeard } from './listening.ts';
import { heard, heardContent, listen, pythonProgram, startLibrary } from './python-client.ts';
import { type Served, serveClients } from './served.ts';

const ECHO = join(import.meta.dirname, 'echo-bot.py');
const PATIENCE = { timeout: 10_000 };

describe.skipIf(inject('pythonClients') === null)('a bot of the bot library', () => {
  test('answers who mentions it in a channel, and who writes to it', async () => {
    const server = await serveClients();
    const ada = await runBot(server, ECHO);

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

  test('keeps on the server what it counts, and edits what it said', async () => {
    const server = await serveClients();
    const ada = await runBot(server, 'incrementor');
    const { message } = await heard(ada, 'message', isOf(server, 'bot'));

    await ada.call('send_message', toBot(server, 'Once more'));
    const update = await heard(ada, 'update_message');
    expect(update).toMatchObject({ message_id: message.id, user_id: server.person('bot').id });
    // The library stores the number once the bot is done, which is after its edit.
    const kept = async () => {
      const { body } = await server.get(server.person('bot'), '/bot_storage', { keys: ['number'] });
      return Number(body.storage.number);
    };
    await expect.poll(kept, PATIENCE).toBeGreaterThan(1);
  });

  test('reacts to what it is told, and answers with a file', async () => {
    const server = await serveClients();
    const ada = await runBot(server, ECHO);

    const { id } = await ada.call('send_message', toBot(server, 'a file'));
    const isAnswer = ({ message }: Line) => message.content.includes('/user_uploads/');
    const { message } = await heard(ada, 'message', isAnswer);
    const [path] = /user_uploads[^)]+/.exec(message.content) ?? [];
    const link = await ada.call('get', path);
    const fetched = await fetch(new URL(link['url'], server.url));
    expect(await fetched.text()).toBe(readFileSync(ECHO, 'utf8'));
    const { body } = await server.get(server.person('ada'), `/messages/${id}`);
    expect(body.message.reactions).toMatchObject([
      { emoji_name: 'speech_balloon', user_id: server.person('bot').id },
    ]);
  });

  test('goes on when the server was killed, and when it was stopped, and answers once', async () => {
    const server = await serveClients();
    const ada = await runBot(server, ECHO);

    await server.kill();

    await ada.call('send_message', inChannel('@**Demo Bot** after'));
    await heardContent(ada, 'You said: after');
    await server.restart();
    await ada.call('send_message', inChannel('@**Demo Bot** last'));
    await heardContent(ada, 'You said: last');
    const answers = ada.heard.map(({ event }) => event.message?.content ?? '');
    expect(answers.filter((content) => /^You said: (after|last)/.test(content))).toEqual([
      'You said: after',
      'You said: last',
    ]);
  });
});

/** Runs a bot, and returns somebody who talks with it once it has answered for the first time. */
async function runBot(server: Served, bot: string): Promise<ClientProcess> {
  const ada = startLibrary(server, 'ada');
  await listen(ada, ['message', 'update_message']);
  const file = server.credentialsFile('bot');
  startClient(pythonProgram('zulip-run-bot'), ['--config-file', file, bot]);
  await untilHeard(
    (attempt) => ada.call('send_message', toBot(server, `Are you there? (${attempt})`)),
    heard(ada, 'message', isOf(server, 'bot')),
  );
  return ada;
}

const isOf =
  (server: Served, name: string) =>
  ({ message }: Line) =>
    message.sender_id === server.person(name).id;

const inChannel = (content: string) => ({ type: 'stream', to: 'general', topic: 'birds', content });

const toBot = (server: Served, content: string) => ({
  type: 'private',
  to: [server.person('bot').email],
  content,
});
