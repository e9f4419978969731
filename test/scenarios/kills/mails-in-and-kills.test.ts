import { rmSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { freePort } from '../../../bench/servers/free-port.ts';
import { download } from '../../support/files/uploads.ts';
import { addressAt, contentsAt, mailedTo } from '../../support/notifications/incoming-mails.ts';
import {
  personOf,
  type ServerProcess,
  startProcess,
} from '../../support/processes/start-process.ts';
import { buildSyncShim, hasCompiler } from '../../support/processes/sync-shim.ts';
import { someOf } from '../../support/runs.ts';
import type { Person } from '../../support/users.ts';

interface Mailed {
  readonly server: ServerProcess;
  readonly as: Person;
  readonly port: number;
  readonly to: string;
}

async function started(env: Readonly<Record<string, string>> = {}): Promise<Mailed> {
  const port = await freePort();
  const server = await startProcess({ ...env, CONFAB_MAIL_IN: `127.0.0.1:${port}` });
  const as = personOf(server, 'mel');
  return { server, as, port, to: await addressAt(server, as, as.id) };
}

const mailOf = ({ to }: Mailed, text: string) => ({
  to,
  subject: 'kills',
  text,
  messageId: `<${text.replaceAll(' ', '.')}@elsewhere.example>`,
  attachments: [{ filename: 'plan.txt', content: `the plan of ${text}` }],
});

/** Tests that a mail is one message, with its file. */
async function expectOnce({ server, as }: Mailed, text: string) {
  const contents = await contentsAt(server, as);
  const [content, ...others] = contents.filter((one) => one.startsWith(`${text}\n`));
  expect(others).toEqual([]);
  const [, path = ''] = /\((\/user_uploads\/\S+)\)/.exec(content ?? '') ?? [];
  const at = { app: { port: server.port() } };
  const { bytes } = await download(at, path, { as, host: 'demo.localhost' });
  expect(String(bytes)).toBe(`the plan of ${text}`);
}

test('a mail that was answered with 250 is stored, whenever the server is killed', async () => {
  const mailed = await started();
  const { server, port } = mailed;
  const mail = mailOf(mailed, 'mail 1');
  expect(await mailedTo(port, mail)).toMatchObject({ code: 250 });
  await server.kill();
  await expectOnce(mailed, 'mail 1');
  // The relay has not seen the answer.
  expect(await mailedTo(port, mail)).toMatchObject({ code: 250 });
  await expectOnce(mailed, 'mail 1');
  // The relay is in the middle of a mail.
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  await saidBy(socket, '220 ');
  socket.write(`EHLO x\r\nMAIL FROM:<a@b.example>\r\nRCPT TO:<${mailed.to}>\r\nDATA\r\n`);
  await saidBy(socket, '354 ');
  socket.write('Message-ID: <mail.3@elsewhere.example>\r\n\r\nmail 3');
  await server.kill();
  socket.destroy();
  expect((await contentsAt(server, mailed.as)).join()).not.toContain('mail 3');
  expect(await mailedTo(port, mailOf(mailed, 'mail 3'))).toMatchObject({ code: 250 });
  await expectOnce(mailed, 'mail 3');
});

/** Resolves when the server has said something. */
function saidBy(socket: Socket, words: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = '';
    socket.on('data', (data) => {
      said += String(data);
      if (said.includes(words)) resolve();
    });
    socket.once('close', () => reject(new Error(`the server has said ${said}`)));
  });
}

/** A file and its message take some syncs, and those of the server itself come in between. */
test.runIf(hasCompiler)(
  '2: killed at each sync of a mail, the server has it once when the relay has got its 250',
  async () => {
    const { library, trigger } = buildSyncShim();
    const mailed = await started({ LD_PRELOAD: library, LAST_SYNC: trigger });
    const { server, port } = mailed;
    for (const count of someOf([1, 2, 3, 4], { every: 2 })) {
      const text = `mail ${count}`;
      const isEnded = server.ended();
      writeFileSync(trigger, String(count));
      const first = await mailedTo(port, mailOf(mailed, text));
      // The mail is done with fewer syncs: others bring about the last one.
      for (let extra = 0; first.code === 250; extra += 1) {
        const { code } = await mailedTo(port, mailOf(mailed, `${text} and ${extra}`));
        if (code !== 250) break;
      }
      expect(await isEnded).toEqual({ code: null, signal: 'SIGKILL' });
      rmSync(trigger);
      await server.start();
      if (first.code === 250) await expectOnce(mailed, text);
      expect(await mailedTo(port, mailOf(mailed, text))).toMatchObject({ code: 250 });
      await expectOnce(mailed, text);
    }
  },
);
