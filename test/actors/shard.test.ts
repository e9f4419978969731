import { expect, test } from 'vitest';
import { type ShardWork, superviseShard } from '../../actors/shard.ts';
import { testClock } from '../support/test-clock.ts';

/** A shard whose work notes what it was asked to do. */
function supervised({ claims = true, failsAt = '' } = {}) {
  const done: string[] = [];
  const failures: unknown[] = [];
  const clock = testClock();
  let until = 1_500;
  const step = (name: string) => async () => {
    done.push(name);
    if (failsAt === name) throw new Error(name);
  };
  const work: ShardWork = {
    join: step('join'),
    untilClaim: () => until,
    async claim() {
      done.push('claim');
      return claims;
    },
    own: step('own'),
    disown: step('disown'),
    release: async (to) => void done.push(`release to ${to}`),
    leave: step('leave'),
  };
  const shard = superviseShard({ work, clock, onFailed: (error) => failures.push(error) });
  return {
    done,
    failures,
    shard,
    clock,
    setUntil(ms: number) {
      until = ms;
    },
  };
}

test('a node joins, follows, and claims when nobody is heard', async () => {
  const { done, shard, clock, setUntil } = supervised();
  await shard.reached('following');
  clock.advance(1_000);
  expect(done).toEqual(['join']);
  setUntil(0);
  clock.advance(1_000);
  await shard.reached('owning');
  expect(done).toEqual(['join', 'claim', 'own']);
  await shard.stop();
  expect(done.slice(3)).toEqual(['release to null', 'leave']);
  expect(shard.state()).toBe('left');
});

test('a claim that is refused is followed by reading on', async () => {
  const { done, shard, clock, setUntil } = supervised({ claims: false });
  await shard.reached('following');
  setUntil(0);
  clock.advance(1_500);
  expect(shard.state()).toBe('claiming');
  setUntil(1_000);
  await shard.reached('following');
  expect(done).toEqual(['join', 'claim']);
});

test('an owner that is deposed follows again; one that is told to, hands over', async () => {
  const { done, shard, clock, setUntil } = supervised();
  await shard.reached('following');
  setUntil(0);
  clock.advance(1_500);
  await shard.reached('owning');
  setUntil(1_500);
  shard.deposed();
  await shard.reached('following');
  expect(done).toEqual(['join', 'claim', 'own', 'disown']);
  setUntil(0);
  shard.look();
  clock.advance(1);
  await shard.reached('owning');
  setUntil(1_500);
  shard.release('b');
  await shard.reached('following');
  expect(done.slice(4)).toEqual(['claim', 'own', 'release to b']);
});

test('what is asked for while realms open is done once they are open', async () => {
  const { done, shard, clock, setUntil } = supervised();
  await shard.reached('following');
  setUntil(0);
  clock.advance(1_500);
  await shard.reached('opening');
  setUntil(1_500);
  shard.deposed();
  await shard.reached('following');
  expect(done).toEqual(['join', 'claim', 'own', 'disown']);
});

test('a shard is released though the claim of it was still under way', async () => {
  const { done, shard, clock, setUntil } = supervised();
  await shard.reached('following');
  setUntil(0);
  clock.advance(1_500);
  expect(shard.state()).toBe('claiming');
  setUntil(1_500);
  shard.release('b');
  await shard.reached('following');
  expect(done).toEqual(['join', 'claim', 'own', 'release to b']);
});

test('a log that is broken, or realms that cannot be opened, end it', async () => {
  const broken = supervised();
  await broken.shard.reached('following');
  broken.shard.broken(new Error('cut back'));
  expect(broken.shard.state()).toBe('failed');
  expect(broken.failures).toEqual([new Error('cut back')]);
  const failing = supervised({ failsAt: 'join' });
  await expect(failing.shard.reached('following')).rejects.toThrow('join');
});

test('a node that may not claim looks soon again whether it may', async () => {
  const { done, shard, clock, setUntil } = supervised();
  await shard.reached('following');
  setUntil(Number.POSITIVE_INFINITY);
  clock.advance(1_000);
  setUntil(0);
  clock.advance(200);
  await shard.reached('owning');
  expect(done).toEqual(['join', 'claim', 'own']);
});
