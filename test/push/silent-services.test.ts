import { expect, test } from 'vitest';
import { openPatience, TO_SILENT_SERVICE_MAX } from '../../src/workers/devices/silent-services.ts';
import { TooEarly } from '../../src/workers/post.ts';

const SILENT = new Error('silent');

function opened() {
  const patience = openPatience((error) => error === SILENT);
  const waiting: { answer(): void; fail(): void }[] = [];
  const send = (service: string) =>
    patience(
      service,
      () =>
        new Promise<string>((resolve, reject) => {
          waiting.push({ answer: () => resolve('taken'), fail: () => reject(SILENT) });
        }),
    );
  return { send, waiting };
}

test('a service that is silent gets few pushes at once, and the others all of theirs', async () => {
  const { send, waiting } = opened();
  const first = send('silent');
  waiting[0]?.fail();
  await expect(first).rejects.toBe(SILENT);
  const next = Array.from({ length: 5 }, () => send('silent').catch((error: unknown) => error));
  const others = Array.from({ length: 5 }, () => send('other'));
  expect(waiting).toHaveLength(1 + TO_SILENT_SERVICE_MAX + others.length);
  for (const one of waiting.slice(1)) one.answer();
  const results = await Promise.all(next);
  expect(results.filter((result) => result === 'taken')).toHaveLength(TO_SILENT_SERVICE_MAX);
  expect(results.filter((result) => result instanceof TooEarly)).toHaveLength(3);
  expect(await Promise.all(others)).toEqual(others.map(() => 'taken'));
  // It has answered, so it gets as many as it did.
  const after = Array.from({ length: 5 }, () => send('silent'));
  for (const one of waiting) one.answer();
  expect(await Promise.all(after)).toEqual(after.map(() => 'taken'));
});

test('a service that stays silent goes on to be tried', async () => {
  const { send, waiting } = opened();
  for (let time = 0; time < 10; time += 1) {
    const one = send('silent');
    waiting.at(-1)?.fail();
    await expect(one).rejects.toBe(SILENT);
  }
});
