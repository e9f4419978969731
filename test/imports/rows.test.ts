import { once } from 'node:events';
import net from 'node:net';
import { expect, test, vi } from 'vitest';
import { runImportStep } from '../../src/admin/commands/import-steps.ts';
import { serveControl } from '../../src/admin/control/control.ts';
import { controlSocketPath } from '../../src/admin/data-directory.ts';
import { conversationIfServed } from '../../src/command-line/ask.ts';
import { temporaryFolder } from '../support/scratch.ts';
import { startServer } from '../support/start-server.ts';

const OF = { realm: 'test', source: 'elsewhere', format: 'slack' };

async function begun() {
  const { app } = await startServer();
  await runImportStep(app.realms, 'import begin', OF);
  return app.realms;
}

test('rows are taken while those before them wait for their commit, and other steps are not', async () => {
  const realms = await begun();
  const realm = realms.named('test');
  if (realm === undefined) throw new Error('there is no realm');
  const log: string[] = [];
  const { performInTurns, perform } = realm;
  // The first rows wait until the second ones have begun, however late these arrive.
  let begin: () => void = () => undefined;
  const isSecondBegun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  vi.spyOn(realm, 'performInTurns').mockImplementation(async (work) => {
    const isFirst = log.length === 0;
    log.push('begins rows');
    if (isFirst) await isSecondBegun;
    else begin();
    const replies = await performInTurns(work);
    log.push('ends rows');
    return replies;
  });
  vi.spyOn(realm, 'perform').mockImplementation(async (operation) => {
    log.push('begins another');
    return await perform(operation);
  });
  const server = net.createServer((socket) =>
    serveControl(socket, {
      realms: () => realms,
      standing: () => ({}),
      consoleAddress: () => null,
      node: () => null,
      onBug: (error) => {
        throw error;
      },
    }),
  );
  const folder = temporaryFolder();
  server.listen(controlSocketPath(folder));
  await once(server, 'listening');
  const conversation = await conversationIfServed(folder);
  const users = (id: string) => ({
    command: 'import users',
    args: { ...OF, rows: [{ id, name: id, email: `${id}@elsewhere.example.com` }] },
  });
  await Promise.all([
    conversation?.ask(users('one')),
    conversation?.ask(users('two')),
    conversation?.ask({ command: 'import end', args: { ...OF, added: {} } }),
    conversation?.ask(users('three')),
  ]);
  conversation?.close();
  server.close();
  expect(log).toEqual([
    'begins rows',
    'begins rows',
    'ends rows',
    'ends rows',
    'begins another',
    'begins rows',
    'ends rows',
  ]);
});

test('a row of another shape is refused alone, and says where it differs', async () => {
  const realms = await begun();
  const user = (id: string) => ({ id, name: id });
  expect(
    await runImportStep(realms, 'import users', {
      ...OF,
      rows: [user('four'), { id: 4, name: 'five' }, user('six'), 'seven'],
    }),
  ).toEqual({
    counts: { added: 2, refused: 2 },
    refused: [
      { index: 1, why: expect.stringMatching(/a row of an import: .*"id"/s) },
      { index: 3, why: expect.stringMatching(/a row of an import: .*expected object/s) },
    ],
  });
});
