import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { basic } from '../support/client.ts';
import { asked, behindProxy, form, PROXIES, startProxy } from '../support/processes/proxies.ts';

/** Clients give up a poll after this time, so a proxy must not do so before. */
const POLL_MS = 90_000;

test.skipIf(PROXIES.every(({ isMissing }) => isMissing))(
  'a poll waits for 90 s behind each proxy, and then gets its event',
  async () => {
    // The clock of the server stands still, so that no heartbeat answers before.
    const server = await behindProxy();
    const { mel } = server.people;
    const headers = { authorization: basic(mel) };
    const answered = new Set<string>();
    const polls = PROXIES.filter(({ isMissing }) => !isMissing).map(async ({ name, start }) => {
      const { https: port } = await startProxy(server, start);
      const ask = (path: string, more = {}) => asked({ port, path, headers, ...more });
      const { text } = await ask('/api/v1/register', form('event_types=["message"]'));
      const { queue_id } = JSON.parse(text);
      const reply = await ask(`/api/v1/events?queue_id=${queue_id}&last_event_id=-1`);
      answered.add(name);
      return reply;
    });
    await pause(POLL_MS);
    expect([...answered]).toEqual([]);
    await server.post(mel, '/messages', {
      type: 'channel',
      to: 'general',
      topic: 'lunch',
      content: 'soup after a while',
    });
    for (const { status, text } of await Promise.all(polls)) {
      expect(status).toBe(200);
      expect(text).toContain('soup after a while');
    }
  },
  150_000,
);
