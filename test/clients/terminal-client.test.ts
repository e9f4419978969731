import { copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, test } from 'vitest';
import type { TestQueue, WireEvent } from '../support/client.ts';
import { temporaryFolder } from '../support/scratch.ts';
import { untilHeard } from './listening.ts';
import { pythonProgram, startLibrary } from './python-client.ts';
import { type Served, sendTo, serveClients } from './served.ts';
import { KEYS, openTerminal, type Terminal } from './terminal.ts';

describe.skipIf(inject('pythonClients') === null)('the terminal client', () => {
  // A thread that ends early may write over the screen (`EARLY_END` below).
  test('logs in with a password and shows the organization', { retry: 2 }, async () => {
    const server = await serveTalking();
    const home = temporaryFolder();
    // It asks where its errors go as well.
    const terminal = openTerminal(pythonProgram('python'), commandIn(home), { home });

    await terminal.shows('URL: ');
    terminal.type(`${server.url}${KEYS.enter}`);
    await terminal.shows('Email: ');
    terminal.type(`${server.person('mel').email}${KEYS.enter}`);
    await terminal.shows('Password: ');
    terminal.type(`${server.password('mel')}${KEYS.enter}`);

    await terminal.shows('# general', '# random', titleOf(server));
  });

  test('shows what others write, edit and react with', async () => {
    const server = await serveTalking();
    const { terminal } = await loggedIn(server);
    const ada = server.person('ada');

    const id = await sendTo(server, 'ada', { topic: 'weather', content: 'It *rains* :rain:' });
    await terminal.shows('It rains', 'general ▶  weather', 'Ada Administrator');
    await server.patch(ada, `/messages/${id}`, { content: 'It snows' });
    await terminal.shows('It snows');
    await server.post(ada, `/messages/${id}/reactions`, { emoji_name: 'snowman' });
    await terminal.shows(':snowman:');
    await server.post(ada, '/messages', {
      type: 'direct',
      to: [server.person('mel').id],
      content: 'Take a coat',
    });
    await terminal.shows('Take a coat', 'You and Ada Administrator');
  });

  test('sends what is typed, to a channel and to somebody', async () => {
    const server = await serveTalking();
    const queue = await server.register(server.person('ada'), { event_types: ['message'] });
    const { terminal } = await loggedIn(server);

    terminal.type('c');
    await terminal.shows('#');
    await fill(terminal, ['general', 'from a terminal', 'Typed with **ten** fingers']);
    expect(await queue.next()).toMatchObject([
      {
        message: {
          type: 'stream',
          display_recipient: 'general',
          subject: 'from a terminal',
          content: 'Typed with **ten** fingers',
        },
      },
    ]);
    await terminal.shows('Typed with ten fingers');

    terminal.type(KEYS.escape);
    await terminal.hides('from a terminal  ');
    terminal.type('x');
    await terminal.shows('To: ');
    terminal.type(`ada@${KEYS.controlF}`);
    await terminal.shows('To: Ada Administrator');
    terminal.type(KEYS.tab);
    terminal.type('Only for you');
    await terminal.shows('Only for you');
    terminal.type(KEYS.controlD);
    expect(await queue.next()).toMatchObject([
      { message: { type: 'private', content: 'Only for you' } },
    ]);
  });

  test('edits, reacts to and stars what is selected, and marks as read what was seen', async () => {
    const server = await serveTalking();
    const mel = server.person('mel');
    const queue = await server.register(mel, {
      event_types: ['message', 'update_message', 'reaction', 'update_message_flags'],
      apply_markdown: false,
    });
    const next = eventsOf(queue);
    const { terminal } = await loggedIn(server);
    terminal.type(KEYS.right);
    expect(await next('update_message_flags')).toMatchObject({
      op: 'add',
      flag: 'read',
      messages: [1],
    });

    terminal.type('c');
    await terminal.shows('#');
    await fill(terminal, ['general', 'fingers', 'Eleven fingers']);
    const { message } = await next('message');
    await terminal.shows('▒ Eleven fingers');
    terminal.type(KEYS.escape);
    await terminal.hides('▶ fingers');
    terminal.type('G+');
    expect(await next('reaction')).toMatchObject({
      op: 'add',
      message_id: message.id,
      emoji_name: 'thumbs_up',
      emoji_code: '1f44d',
      user_id: mel.id,
    });
    await terminal.shows(':thumbs_up: You');
    terminal.type('*');
    expect(await next('update_message_flags')).toMatchObject({
      op: 'add',
      flag: 'starred',
      messages: [message.id],
    });
    terminal.type('e');
    await terminal.shows('▶ fingers');
    terminal.type(' and toes');
    await terminal.shows('Eleven fingers and toes');
    terminal.type(KEYS.controlD);
    expect(await next('update_message')).toMatchObject({
      message_id: message.id,
      content: 'Eleven fingers and toes',
    });
    await terminal.shows('▒ Eleven fingers and toes');
  });

  test('says all of a message that somebody reacted to, and of a channel', async () => {
    const server = await serveTalking();
    await server.post(server.person('ada'), '/messages/1/reactions', { emoji_name: 'octopus' });
    const { terminal } = await loggedIn(server);

    await terminal.shows(':octopus: Ada Administrator');
    terminal.type(`${KEYS.right}Gi`);
    await terminal.shows('Reactions');
    terminal.type(KEYS.escape);
    await terminal.hides('Reactions');
    terminal.type(`${KEYS.left}${KEYS.down.repeat(4)}i`);
    await terminal.shows('Stream email');
    terminal.type('m');
    await terminal.shows('Stream Members');
  });

  test('fetches an uploaded file', async () => {
    const server = await serveTalking();
    const ada = startLibrary(server, 'ada');
    const file = join(temporaryFolder(), 'recipe.txt');
    writeFileSync(file, 'Six eggs');
    const { url } = await ada.call('upload_file', file);
    const { terminal, home } = await loggedIn(server);
    await sendTo(server, 'ada', { topic: 'kitchen', content: `[The recipe](${url})` });
    await terminal.shows('The recipe');

    terminal.type(`${KEYS.right}Gi`);
    await terminal.shows('Message Links');
    terminal.type(KEYS.enter);
    await terminal.shows('xdg-open');
    const [fetched = ''] = readdirSync(home).filter((name) => name.endsWith('recipe.txt'));
    expect(readFileSync(join(home, fetched), 'utf8')).toBe('Six eggs');
  });

  test('goes on when the server was killed, and when it was stopped', async () => {
    const server = await serveTalking();
    const { terminal, home } = await loggedIn(server);
    await sendTo(server, 'ada', { topic: 'restarts', content: 'before the kill' });
    await terminal.shows('before the kill');

    await server.kill();

    await sendTo(server, 'ada', { topic: 'restarts', content: 'after the kill' });
    await terminal.shows('after the kill');
    await server.restart();
    await sendTo(server, 'ada', { topic: 'restarts', content: 'and another' });
    await terminal.shows('and another');
    expect(terminal.screen().split('after the kill')).toHaveLength(2);
    expect(existsSync(join(home, 'zulip-terminal-thread-exceptions.log'))).toBe(false);
  });

  test('registers again when its queue is gone', async () => {
    const server = await serveTalking();
    const backup = await server.backUp();
    const { terminal } = await loggedIn(server);

    await server.restore(backup);

    await untilHeard(
      (attempt) => sendTo(server, 'ada', { topic: 'a new day', content: `Day ${attempt}` }),
      terminal.shows('a new day'),
    );
  });
});

/** Gives the next event of a type, whatever else comes before it. */
function eventsOf(queue: TestQueue) {
  const pending: WireEvent[] = [];
  return async (type: string): Promise<WireEvent> => {
    for (;;) {
      const index = pending.findIndex((event) => event.type === type);
      const [found] = index < 0 ? [] : pending.splice(0, index + 1).slice(-1);
      if (found !== undefined) return found;
      pending.push(...(await queue.next()));
    }
  };
}

/** The client ends at once where it finds no message at all to show. */
async function serveTalking(): Promise<Served> {
  const server = await serveClients();
  await sendTo(server, 'ada', { topic: 'greetings', content: 'Good morning' });
  return server;
}

/** Returns the client's command, which asks for credentials if there are none in the folder. */
const commandIn = (home: string) => [pythonProgram('zulip-term'), '-c', join(home, 'zuliprc')];

/**
 * A thread of the client may hear of something before its main loop runs, and ends then, so that
 * nothing is heard any more. Somebody who sees that opens the client again.
 */
const EARLY_END = 'assert hasattr(self, "_update_pipe")';
const STARTS_MAX = 5;

/** Opens the client until it works, each time in a new folder, and waits for its whole screen. */
async function loggedIn(server: Served) {
  for (let starts = 1; ; starts += 1) {
    const home = temporaryFolder();
    copyFileSync(server.credentialsFile('mel'), join(home, 'zuliprc'));
    const errors = join(home, 'errors');
    // Errors of its threads would be written over the screen.
    const quiet = ['sh', '-c', 'exec "$@" 2>"$0"', errors, ...commandIn(home)];
    const terminal = openTerminal(pythonProgram('python'), quiet, { home });
    // Keys that come before it is drawn are lost.
    await terminal.shows('# general', '# random', titleOf(server), 'Good morning');
    if (!readFileSync(errors, 'utf8').includes(EARLY_END)) return { terminal, home };
    if (starts === STARTS_MAX) throw new Error(`The client has failed ${starts} times`);
  }
}

const titleOf = (server: Served) => `Mel Member (${server.person('mel').email}) - Demo`;

/** Fills the boxes of a message to a channel, and sends it. */
async function fill(terminal: Terminal, boxes: readonly string[]) {
  for (const [index, text] of boxes.entries()) {
    if (index > 0) terminal.type(KEYS.tab);
    terminal.type(text);
    await terminal.shows(text);
  }
  terminal.type(KEYS.controlD);
}
