import { expect, onTestFinished, test, vi } from 'vitest';
import type { Realm } from '../../actors/realm/realm-handle.ts';
import type { Bus } from '../../src/cluster/log/bus.ts';
import { NoAnswerError } from '../../src/cluster/log/errors.ts';
import { openAsking } from '../../src/cluster/nodes/asking.ts';
import { type Answered, packed } from '../../src/cluster/nodes/frames.ts';
import type { Endpoint } from '../../src/endpoints/endpoint.ts';
import { sendMessage } from '../../src/endpoints/messages/send-message.ts';
import { addReaction } from '../../src/endpoints/reactions/add-reaction.ts';
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

const REALM = { id: 1 } as Realm;

/** Resolves with how a request ends at a node that is not the owner. */
function outcomeOf(
  bus: Pick<Bus, 'ask'>,
  endpoint: Endpoint,
  onClaim: (shard: number, call: () => void) => () => void = () => () => {},
): Promise<Outcome> {
  const asking = openAsking({
    bus: bus as Bus,
    shardOf: () => 0,
    isOwned: () => false,
    whenApplied: () => Promise.resolve(),
    onClaim,
    onBug: (error) => expect.fail(String(error)),
  });
  return new Promise((settle) => {
    const serveHere = () => expect.fail('this node is not the owner');
    asking.request(SEND, settle, { realm: REALM, endpoint, serveHere });
  });
}

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
  const outcome = await outcomeOf(bus, sendMessage);
  clock.mockRestore();
  expect(outcome).toMatchObject({ is: 'refusal', status: 503, code: 'SERVER_STOPPING' });
  expect(waits).toEqual([13_000, 7_000]);
});

const DONE: Outcome = { is: 'begun' };

/** The first owner is killed before it answers, and the next one answers. */
function killedOwner() {
  const calls = new Set<() => void>();
  let asked = 0;
  return {
    asked: () => asked,
    listening: () => calls.size,
    claim: () => {
      for (const call of [...calls]) call();
    },
    onClaim: (_shard: number, call: () => void) => {
      calls.add(call);
      return () => void calls.delete(call);
    },
    ask: (): Promise<Uint8Array> => {
      asked += 1;
      return asked === 1
        ? new Promise(() => {})
        : Promise.resolve(packed(['outcome', DONE, 7] satisfies Answered));
    },
  };
}

test('a send is asked again as soon as the shard has another owner, however long the first one is silent', async () => {
  const owners = killedOwner();
  const outcome = outcomeOf(owners, sendMessage, owners.onClaim);
  await vi.waitFor(() => expect(owners.listening()).toBe(1));
  owners.claim();
  expect(await outcome).toEqual(DONE);
  expect([owners.asked(), owners.listening()]).toEqual([2, 0]);
});

test('a request that may have been done is refused then, and is not done twice', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const owners = killedOwner();
  const outcome = outcomeOf(owners, addReaction, owners.onClaim);
  owners.claim();
  await vi.advanceTimersByTimeAsync(999);
  expect(owners.listening()).toBe(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(await outcome).toMatchObject({ is: 'refusal', status: 503, code: 'SERVER_STOPPING' });
  expect([owners.asked(), owners.listening()]).toEqual([1, 0]);
});

test('an owner that has given its shard away may still answer what it has done', async () => {
  const owners = killedOwner();
  let answer = (_: Uint8Array) => {};
  const bus = {
    ask: () =>
      new Promise<Uint8Array>((resolve) => {
        answer = resolve;
      }),
  };
  const outcome = outcomeOf(bus, addReaction, owners.onClaim);
  owners.claim();
  answer(packed(['outcome', DONE, 7] satisfies Answered));
  expect(await outcome).toEqual(DONE);
});
