import { expect, test, vi } from 'vitest';
import type { Realm } from '../../actors/realm/realm-handle.ts';
import type { Bus } from '../../src/cluster/log/bus.ts';
import { NoAnswerError } from '../../src/cluster/log/errors.ts';
import { openAsking } from '../../src/cluster/nodes/asking.ts';
import { sendMessage } from '../../src/endpoints/messages/send-message.ts';
import type { AskedRequest, Outcome } from '../../src/forwarding/asked-request.ts';

const SEND: AskedRequest = {
  method: 'POST',
  path: '/messages',
  raw: {},
  host: { name: 'test.localhost', isTls: false, isVouched: false },
  address: '127.0.0.1',
  authorization: '',
  userAgent: '',
  idempotencyKey: '',
};

test('a send whose owners do not answer is asked again, and refused after 20 seconds', async () => {
  let now = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now);
  const waits: number[] = [];
  const bus: Pick<Bus, 'ask'> = {
    ask(_subject, _body, timeoutMs) {
      waits.push(timeoutMs);
      now += timeoutMs;
      return Promise.reject(new NoAnswerError('nobody answered'));
    },
  };
  const asking = openAsking({
    bus: bus as Bus,
    shardOf: () => 0,
    isOwned: () => false,
    whenApplied: () => Promise.resolve(),
    onBug: (error) => expect.fail(String(error)),
  });
  const realm = { id: 1 } as Realm;
  const outcome = await new Promise<Outcome>((settle) => {
    const serveHere = () => expect.fail('this node is not the owner');
    asking.request(SEND, settle, { realm, endpoint: sendMessage, serveHere });
  });
  clock.mockRestore();
  expect(outcome).toMatchObject({ is: 'refusal', status: 503, code: 'SERVER_STOPPING' });
  expect(waits).toEqual([13_000, 7_000]);
});
