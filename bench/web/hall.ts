import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { basicAuthorization, type Credentials, call } from '../load/api.ts';
import { openPool } from '../load/http.ts';
import { temporaryDirectory } from '../servers/belongings.ts';
import { CREDENTIALS_FILE, startConfab } from '../servers/start.ts';
import { launch, openPage, type Reader, readerOf } from './browser.ts';
import type { Line } from './corpus.ts';
import type { Say } from './incoming.ts';
import { type Filled, fillRealm, type RealmSize } from './realm.ts';

/** A large organization, and somebody who reads in a browser. */
export interface Hall {
  readonly reader: Reader;
  readonly filled: Pick<Filled, 'channelId' | 'channelName' | 'topics' | 'ids'>;
  /** Sends to the channel that has all the messages. */
  readonly say: Say;
  /** Marks all as read, for who reads in the browser. */
  readonly read: () => Promise<unknown>;
}

/** The same, with a server that ends with it. */
export interface OwnHall extends Hall {
  close(): Promise<void>;
}

const credentials = z.object({
  users: z.array(
    z.object({
      user_id: z.number(),
      email: z.string(),
      full_name: z.string(),
      role: z.union([z.string(), z.number()]),
      api_key: z.string(),
    }),
  ),
});

/** Requests that are under way at once. */
const IN_FLIGHT = 16;
/** A reader who comes back after an hour has so many unread messages, in so many channels. */
const UNREAD = 300;
const UNREAD_CHANNELS = 40;

interface HallSetting {
  readonly size: RealmSize;
  readonly lines: readonly Line[];
  readonly chromium: string | undefined;
  readonly onPart: (doing: string, part: number) => void;
}

/** Starts the built server, fills its realm, and logs somebody in at a browser. */
export async function openHall({ size, lines, chromium, onPart }: HallSetting): Promise<OwnHall> {
  const directory = temporaryDirectory();
  const data = directory.path;
  await (await startConfab({ data })).stop();
  const { users } = credentials.parse(
    JSON.parse(readFileSync(join(data, CREDENTIALS_FILE), 'utf8')),
  );
  const owner = users.find(({ role }) => /owner|^100$/i.test(String(role)));
  const member = users.find(({ role }) => /member|^400$/i.test(String(role)));
  if (owner === undefined || member === undefined)
    throw new Error('The demo has an owner and members');
  const filled = await fillRealm(data, {
    size,
    lines,
    readerIds: [owner.user_id, member.user_id],
    onPart: (part) => onPart('fills the realm', part),
  });
  const server = await startConfab({ data });
  const { address } = server;
  const pool = openPool(address, IN_FLIGHT);
  const post = (as: Credentials, path: string, params: Readonly<Record<string, string>> = {}) =>
    call(pool, address, { method: 'POST', path, authorization: basicAuthorization(as), params });
  onPart('marks what was read', 0);
  const read = async () => {
    while ((await post(member, '/mark_all_as_read'))['complete'] !== true);
  };
  await read();
  let sent = 0;
  const sendOne = async (to: number | string, topic: string): Promise<number> => {
    const content = lines[sent++ % lines.length]?.text ?? 'hello';
    const params = { type: 'channel', to: String(to), topic, content };
    return Number((await post(owner, '/messages', params)).id);
  };
  const newest = [...filled.topics.keys()].at(-1) ?? '';
  await Promise.all(
    Array.from({ length: UNREAD }, (_, index) =>
      sendOne(filled.channelId + 1 + (index % UNREAD_CHANNELS), `topic ${index % 7}`),
    ),
  );
  const browser = await launch(chromium ?? pathOf('chromium'));
  const page = await openPage(browser);
  const reader = await readerOf(page, `http://127.0.0.1:${address.port}`);
  await logIn(reader, member.full_name);
  return {
    reader,
    filled,
    read,
    async say(count) {
      const all = Array.from({ length: count }, () => sendOne(filled.channelId, newest));
      return Math.max(...(await Promise.all(all)));
    },
    async close() {
      await browser.close();
      pool.close();
      await server.stop();
      directory.remove();
    },
  };
}

async function logIn({ page, origin }: Reader, name: string) {
  await page.goto(origin);
  await page.getByRole('button', { name }).click();
  await page.getByText('live', { exact: true }).first().waitFor({ state: 'attached' });
}

function pathOf(program: string): string {
  const { status, stdout } = spawnSync('sh', ['-c', `command -v ${program}`], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`There is no ${program}: name one by --chromium`);
  return stdout.trim();
}
