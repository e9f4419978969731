import { rmSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { startProcess } from '../../support/processes/start-process.ts';
import { buildSyncShim, hasCompiler } from '../../support/processes/sync-shim.ts';
import { someOf } from '../../support/runs.ts';
import type { Person } from '../../support/users.ts';

type Server = Awaited<ReturnType<typeof startProcess>>;

interface Timed {
  /** The request by which Mel asks for something in two seconds. */
  readonly path: string;
  readonly params: object;
  /** The user who then gets a message that says `once`, and another one. */
  readonly listener: Person;
  readonly other: Person;
}

const personOf = (server: Server, name: string) => server.people[name] ?? expect.fail();

async function scheduledMessage(server: Server): Promise<Timed> {
  const mel = personOf(server, 'mel');
  const channels = (await server.get(mel, '/users/me/subscriptions')).body.subscriptions;
  const to = channels[0].stream_id;
  const params = { type: 'channel', to, topic: 'killed', content: 'once' };
  const listener = personOf(server, 'max');
  return { path: '/scheduled_messages', params, listener, other: mel };
}

async function reminder(server: Server): Promise<Timed> {
  const mel = personOf(server, 'mel');
  const other = personOf(server, 'max');
  const message = { type: 'direct', to: [mel.id], content: 'remember' };
  const { body } = await server.post(other, '/messages', message);
  const params = { message_id: body.id, note: 'once' };
  return { path: '/reminders', params, listener: mel, other };
}

const CASES = [
  { kind: 'a scheduled message', set: scheduledMessage, list: 'scheduled_messages' },
  { kind: 'a reminder', set: reminder, list: 'reminders' },
].flatMap((one) => [1, 2, 3].map((count) => ({ ...one, count })));

/**
 * Sending takes a commit, which takes a sync or two: the process dies before the message is sent,
 * meanwhile, or afterwards.
 */
test.runIf(hasCompiler).each(someOf(CASES, { every: 2 }))(
  '2: killed right after sync $count of the sending of $kind, the server has sent it once when it is back',
  async ({ set, list, count }) => {
    const { library, trigger } = buildSyncShim();
    const server = await startProcess({ LD_PRELOAD: library, LAST_SYNC: trigger });
    const mel = personOf(server, 'mel');
    const { path, params, listener, other } = await set(server);
    const queue = await server.register(listener, {
      event_types: ['message'],
      fetch_event_types: [],
    });
    const { status } = await server.post(mel, path, {
      ...params,
      scheduled_delivery_timestamp: Math.floor(Date.now() / 1000) + 2,
    });
    expect(status).toBe(200);
    const isEnded = server.ended();
    writeFileSync(trigger, String(count));
    // The poll is answered when the message was sent, unless the process died of that; then other
    // commits bring about the last sync.
    const poke = { type: 'direct', to: [other.id], content: 'poke' };
    let reply = await queue.poll().catch(() => null);
    while (reply !== null) reply = await server.post(other, '/messages', poke).catch(() => null);
    expect(await isEnded).toEqual({ code: null, signal: 'SIGKILL' });

    rmSync(trigger);
    await server.start();
    const heard = await queue.next();
    expect(heard.map(({ message }) => message.content)).toEqual([expect.stringContaining('once')]);
    const everything = { anchor: 'oldest', num_after: 100, apply_markdown: false };
    const { messages } = (await server.get(listener, '/messages', everything)).body;
    const contents = messages.map(({ content }: { content: string }) => content);
    expect(contents.filter((content: string) => content.includes('once'))).toHaveLength(1);
    expect((await server.get(mel, `/${list}`)).body[list]).toEqual([]);
    expect(await queue.now()).toEqual([]);
  },
);
