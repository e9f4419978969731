import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { lookAtGiven } from '../../bench/fixtures/given.ts';
import { WrongOption } from '../../bench/suite/options.ts';
import { temporaryFolder } from '../support/scratch.ts';
import { startServer } from '../support/start-server.ts';

const ANYWHERE = 'http://127.0.0.1:1';

test('what is not there, or is something else, is refused by the name of its option', async () => {
  const { write, missing } = files();
  const other = write('other.json', '{"people": []}');
  const guests = write('guests.json', credentials({ role: 'guest' }));
  for (const [given, message] of [
    [{ url: 'chat', credentials: other }, '--url: chat is no address'],
    [{ url: 'https://chat.example.com', credentials: other }, 'plain HTTP, not https:'],
    [{ url: ANYWHERE, credentials: missing }, '--credentials .*: ENOENT'],
    [{ url: ANYWHERE, credentials: other }, '--credentials .*: .*users'],
    [{ url: ANYWHERE, credentials: guests }, '--credentials .*: no owner'],
    [{ messages: missing }, '--messages .*: ENOENT'],
    [{ messages: write('no.jsonl', '\n') }, '--messages .*: it has no lines'],
    [{ messages: write('words.jsonl', 'words\n') }, '--messages .*: .*JSON'],
    [{ messages: write('json.jsonl', '{"nick": "ada"}\n') }, '--messages .*: .*text'],
    [{ messages: write('plain.jsonl.gz', '{}') }, '--messages .*: .*header'],
  ] as const) {
    const looked = look(given);
    await expect(looked, message).rejects.toThrow(new RegExp(message, 's'));
    await expect(looked).rejects.toThrow(WrongOption);
  }
});

test('a server elsewhere is asked whether it knows the owner', async () => {
  const { write } = files();
  const server = await startServer();
  const { ona } = server.people;
  const known = write('known.json', credentials({ api_key: ona.apiKey, email: ona.email }));
  const stranger = write('stranger.json', credentials({ email: ona.email }));
  const url = new URL(server.url).origin;
  await look({ url, credentials: known });
  await expect(look({ url, credentials: stranger })).rejects.toThrow('does not know the owner');
  await expect(look({ url: ANYWHERE, credentials: known })).rejects.toThrow('connection closed');
});

interface Given {
  readonly url?: string;
  readonly credentials?: string;
  readonly messages?: string;
}

const look = ({ url, credentials, messages }: Given) =>
  lookAtGiven({
    isQuick: true,
    repeats: 1,
    remote: url === undefined || credentials === undefined ? undefined : { url, credentials },
    messages,
  });

function files() {
  const folder = temporaryFolder();
  return {
    missing: join(folder, 'missing'),
    write(name: string, text: string) {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    },
  };
}

const credentials = (user: object) =>
  JSON.stringify({
    users: [
      {
        user_id: 1,
        email: 'ona@example.com',
        full_name: 'Ona',
        role: 'owner',
        api_key: 'x',
        ...user,
      },
    ],
  });
