import { expect, test } from 'vitest';
import { foundingOf } from '../../src/cluster/founding.ts';
import { LogUnreachableError } from '../../src/cluster/log/errors.ts';

/** Values whose servers do not answer the first requests, though they may have stored something. */
function openTested({ unanswered }: { readonly unanswered: number }) {
  const stored = new Map<string, Buffer>();
  let asked = 0;
  return {
    stored,
    async putNew(key: string, value: Buffer) {
      asked += 1;
      const isNew = !stored.has(key);
      if (isNew) stored.set(key, value);
      if (asked <= unanswered)
        throw new LogUnreachableError('It is not known whether it is stored');
      return isNew;
    },
    get: async (key: string) => stored.get(key),
  };
}

test('a node that starts while the servers elect a leader waits for them, and founds once', async () => {
  const values = openTested({ unanswered: 2 });
  const founding = await foundingOf(values, 4);
  expect(founding).toMatchObject({ shards: 4, id: expect.stringMatching(/^[0-9a-f]{16}$/) });
  expect(values.stored.size).toBe(1);
  // Another one reads what the first has stored.
  expect(await foundingOf(values, 8)).toEqual(founding);
});

test('any other failure ends it at once', async () => {
  const values = { putNew: () => Promise.reject(new Error('refused')), get: async () => undefined };
  await expect(foundingOf(values, 4)).rejects.toThrow('refused');
});
