import { copyFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, test } from 'vitest';
import { temporaryFolder } from '../support/scratch.ts';
import { pythonProgram } from './python-client.ts';
import { type Served, sendTo, serveClients } from './served.ts';
import { KEYS, openTerminal, type Terminal } from './terminal.ts';

describe.skipIf(inject('pythonClients') === null)('the terminal client', () => {
  test('logs in with a password and shows the organization', async () => {
    const server = await serveTalking();
    const terminal = openClient(temporaryFolder());

    await terminal.shows('URL: ');
    terminal.type(`${server.url}${KEYS.enter}`);
    await terminal.shows('Email: ');
    terminal.type(`${server.person('mel').email}${KEYS.enter}`);
    await terminal.shows('Password: ');
    terminal.type(`${server.password('mel')}${KEYS.enter}`);

    await terminal.shows('# general');
    expect(terminal.screen()).toContain('# random');
    expect(terminal.screen()).toContain(`Mel Member (${server.person('mel').email}) - Demo`);
  });

  test('shows what others write, edit and react with', async () => {
    const server = await serveTalking();
    const { terminal } = await loggedIn(server);
    const ada = server.person('ada');

    const id = await sendTo(server, 'ada', { topic: 'weather', content: 'It *rains* :rain:' });
    await terminal.shows('It rains');
    expect(terminal.screen()).toContain('general ▶  weather');
    expect(terminal.screen()).toContain('Ada Administrator');
    await server.patch(ada, `/messages/${id}`, { content: 'It snows' });
    await terminal.shows('It snows');
    await server.post(ada, `/messages/${id}/reactions`, { emoji_name: 'snowman' });
    await terminal.shows(':snowman:');
    await server.post(ada, '/messages', {
      type: 'direct',
      to: [server.person('mel').id],
      content: 'Take a coat',
    });
    await terminal.shows('Take a coat');
    expect(terminal.screen()).toContain('You and Ada Administrator');
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

  test('goes on when the server was killed and started again', async () => {
    const server = await serveTalking();
    const { terminal, home } = await loggedIn(server);
    await sendTo(server, 'ada', { topic: 'restarts', content: 'before the kill' });
    await terminal.shows('before the kill');

    await server.kill();

    await sendTo(server, 'ada', { topic: 'restarts', content: 'after the kill' });
    await terminal.shows('after the kill');
    await sendTo(server, 'ada', { topic: 'restarts', content: 'and another' });
    await terminal.shows('and another');
    expect(terminal.screen().split('after the kill')).toHaveLength(2);
    expect(existsSync(join(home, 'zulip-terminal-thread-exceptions.log'))).toBe(false);
  });
});

/** The client ends at once where it finds no message at all to show. */
async function serveTalking(): Promise<Served> {
  const server = await serveClients();
  await sendTo(server, 'ada', { topic: 'greetings', content: 'Good morning' });
  return server;
}

/** Where it is told to find its credentials, it asks for what it needs if there are none. */
function openClient(home: string): Terminal {
  const program = [pythonProgram('zulip-term'), '-c', join(home, 'zuliprc')];
  return openTerminal(pythonProgram('python'), program, { home });
}

async function loggedIn(server: Served) {
  const home = temporaryFolder();
  copyFileSync(server.credentialsFile('mel'), join(home, 'zuliprc'));
  const terminal = openClient(home);
  await terminal.shows('# general');
  return { terminal, home };
}

/** Fills the boxes of a message to a channel, and sends it. */
async function fill(terminal: Terminal, boxes: readonly string[]) {
  for (const [index, text] of boxes.entries()) {
    if (index > 0) terminal.type(KEYS.tab);
    terminal.type(text);
    await terminal.shows(text);
  }
  terminal.type(KEYS.controlD);
}
