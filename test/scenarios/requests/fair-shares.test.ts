import { expect, test } from 'vitest';
import { startServer } from '../../support/start-server.ts';

const SENDS = 60;

test('accounts share the commits when all of what they ask does not fit into one, and each keeps its order', async () => {
  // Every operation takes longer than no time, so each commit holds one.
  const server = await startServer({ channels: ['general'], commitMsMax: 0 });
  const { mel, max } = server.people;
  const send = async (as: typeof mel, content: string) => {
    const params = { type: 'channel', to: 'general', topic: 'shares', content };
    const { status, body } = await server.post(as, '/messages', params);
    expect(status).toBe(200);
    return body.id as number;
  };
  const many = Array.from({ length: SENDS }, (_, index) => send(mel, `mel ${index}`));
  const one = await send(max, 'max');
  const ids = await Promise.all(many);
  expect(ids.filter((id) => id > one).length).toBeGreaterThan(0);
  expect(new Set([...ids, one]).size).toBe(SENDS + 1);
});
