import { randomBytes } from 'node:crypto';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { ClusterStore } from '../../../../src/cluster/log/cluster-store.ts';
import { NoAnswerError, NobodyServesError } from '../../../../src/cluster/log/errors.ts';
import { later, upTo } from './records.ts';

/** Opens the cluster store as one more node sees it. */
export type OpenNode = (name: string) => Promise<ClusterStore>;

/** Describes what nodes tell each other, and the values that they share. */
export function describeBusAndValues(openNode: OpenNode): void {
  describe('bus', () => {
    test('hands a message to all who listen, in the order of the sender', async () => {
      const [a, b] = [await openNode('a'), await openNode('b')];
      const heard: Record<string, string[]> = { a: [], b: [] };
      for (const [name, { bus }] of Object.entries({ a, b })) {
        const end = bus.subscribe('test.order', (body) => {
          heard[name]?.push(Buffer.from(body).toString());
        });
        onTestFinished(end);
      }
      await listening(a, b);
      const sent = upTo(100).map(String);
      for (const text of sent) a.bus.publish('test.order', Buffer.from(text));
      await expect.poll(() => heard['a']).toEqual(sent);
      await expect.poll(() => heard['b']).toEqual(sent);
    });

    test('hands on nothing of other subjects, nor after the subscription has ended', async () => {
      const node = await openNode('a');
      const heard: string[] = [];
      const end = node.bus.subscribe('test.one', (body) =>
        heard.push(Buffer.from(body).toString()),
      );
      node.bus.publish('test.other', Buffer.from('other'));
      node.bus.publish('test.one', Buffer.from('one'));
      await expect.poll(() => heard).toEqual(['one']);
      end();
      const second = later<Uint8Array>();
      onTestFinished(node.bus.subscribe('test.one', second.resolve));
      node.bus.publish('test.one', Buffer.from('two'));
      expect(Buffer.from(await second.promise).toString()).toBe('two');
      expect(heard).toEqual(['one']);
    });

    test('a message that is not taken, and an answer that is not made, end nothing', async () => {
      const [a, b] = [await openNode('a'), await openNode('b')];
      onTestFinished(
        b.bus.serve('test.throws', () => {
          throw new Error('It failed before it began.');
        }),
      );
      await listening(a, b);
      const ask = a.bus.ask('test.throws', Buffer.from('?'), 5_000);
      await expect(ask).rejects.toBeInstanceOf(NoAnswerError);
      const second = later<Uint8Array>();
      onTestFinished(b.bus.subscribe('test.after', second.resolve));
      await listening(a, b);
      a.bus.publish('test.after', Buffer.from('after'));
      expect(Buffer.from(await second.promise).toString()).toBe('after');
    });

    test('answers requests by one of those who serve', async () => {
      const [a, b] = [await openNode('a'), await openNode('b')];
      let asked = 0;
      for (const { bus } of [a, b]) {
        const end = bus.serve('test.double', async (body) => {
          asked += 1;
          return Buffer.concat([body, body]);
        });
        onTestFinished(end);
      }
      await listening(a, b);
      for (const text of ['x', 'yy', '']) {
        const answer = await a.bus.ask('test.double', Buffer.from(text), 5_000);
        expect(Buffer.from(answer).toString()).toBe(text + text);
      }
      expect(asked).toBe(3);
    });

    test('tells at once when nobody serves, and when the one who served has ended', async () => {
      const [a, b] = [await openNode('a'), await openNode('b')];
      const ask = (timeoutMs = 30_000) => {
        return a.bus.ask('test.nobody', Buffer.from('?'), timeoutMs);
      };
      await expect(ask()).rejects.toBeInstanceOf(NobodyServesError);
      const end = b.bus.serve('test.nobody', async (body) => body);
      await expect.poll(() => ask().then(() => 'answered', String)).toBe('answered');
      end();
      // A request that is under way as it ends is not answered.
      await expect
        .poll(() =>
          ask(500).then(
            () => 'answered',
            (error) => error.name,
          ),
        )
        .toBe('NobodyServesError');
    });

    test('does not know what became of a request that was not answered, or failed', async () => {
      const [a, b] = [await openNode('a'), await openNode('b')];
      onTestFinished(b.bus.serve('test.silent', () => new Promise(() => {})));
      onTestFinished(
        b.bus.serve('test.failing', async () => {
          throw new Error('It failed in the middle.');
        }),
      );
      await listening(a, b);
      const silent = a.bus.ask('test.silent', Buffer.from('?'), 300);
      await expect(silent).rejects.toBeInstanceOf(NoAnswerError);
      const failing = a.bus.ask('test.failing', Buffer.from('?'), 5_000);
      await expect(failing).rejects.toBeInstanceOf(NoAnswerError);
    });

    test.each(['', 'two words', 'all.*', 'rest.>', '.x', 'x.', 'x..y', 'x'.repeat(201)])(
      'refuses %j as the name of a subject',
      async (subject) => {
        const { bus, values } = await openNode('a');
        expect(() => bus.publish(subject, Buffer.from(''))).toThrow(RangeError);
        expect(() => bus.subscribe(subject, () => {})).toThrow(RangeError);
        expect(() => bus.serve(subject, async (body) => body)).toThrow(RangeError);
        await expect(bus.ask(subject, Buffer.from(''), 100)).rejects.toThrow(RangeError);
        await expect(values.put(subject, Buffer.from(''))).rejects.toThrow(RangeError);
      },
    );
  });

  describe('values', () => {
    test('are stored, replaced and removed', async () => {
      const [a, b] = [await openNode('a'), await openNode('b')];
      expect(await a.values.get('test.value')).toBeUndefined();
      await a.values.put('test.value', Buffer.from('one'));
      expect(Buffer.from((await b.values.get('test.value')) ?? '').toString()).toBe('one');
      await b.values.put('test.value', Buffer.from('two'));
      expect(Buffer.from((await a.values.get('test.value')) ?? '').toString()).toBe('two');
      await a.values.remove('test.value');
      await a.values.remove('test.value');
      expect(await b.values.get('test.value')).toBeUndefined();
    });

    test('a new value is stored by one of six, also where one was removed', async () => {
      const nodes = await Promise.all(upTo(6).map((number) => openNode(`rival-${number}`)));
      for (const round of upTo(2)) {
        const won = await Promise.all(
          nodes.map(({ values }, number) => values.putNew('test.new', Buffer.from(`${number}`))),
        );
        expect(won.filter(Boolean), `round ${round}`).toHaveLength(1);
        const value = Buffer.from((await nodes[0]?.values.get('test.new')) ?? '').toString();
        expect(value).toBe(`${won.indexOf(true)}`);
        await nodes[1]?.values.remove('test.new');
      }
    });

    test('a value is replaced by one of six who know the former one, and by nobody else', async () => {
      const nodes = await Promise.all(upTo(6).map((number) => openNode(`replaces-${number}`)));
      const [{ values } = await openNode('a')] = nodes;
      const [one, two] = [Buffer.from('one'), Buffer.from('two')];
      expect(await values.replace('test.replaced', one, two)).toBe(false);
      await values.put('test.replaced', one);
      expect(await values.replace('test.replaced', two, one)).toBe(false);
      const won = await Promise.all(
        nodes.map((node) => node.values.replace('test.replaced', one, two)),
      );
      expect(won.filter(Boolean)).toHaveLength(1);
      expect(Buffer.from((await values.get('test.replaced')) ?? '').toString()).toBe('two');
    });

    test('the keys of a group are those that have a value', async () => {
      const { values } = await openNode('a');
      expect(await values.keys('group')).toEqual([]);
      for (const key of ['group.1', 'group.2', 'group.x.1', 'other.1', 'group3.1']) {
        await values.put(key, Buffer.from('x'));
      }
      await values.remove('group.2');
      expect(await values.keys('group')).toEqual(['group.1']);
    });

    test('who watches is handed all, and then each change', async () => {
      const [a, b] = [await openNode('a'), await openNode('b')];
      await a.values.put('watch.one', Buffer.from('1'));
      await a.values.put('watch.two', Buffer.from('2'));
      const seen = new Map<string, string | undefined>();
      const end = await b.values.watch((key, value) => {
        if (key.startsWith('watch.')) seen.set(key, value && Buffer.from(value).toString());
      });
      onTestFinished(end);
      await expect
        .poll(() => Object.fromEntries(seen))
        .toEqual({
          'watch.one': '1',
          'watch.two': '2',
        });
      await a.values.put('watch.three', Buffer.from('3'));
      await a.values.put('watch.one', Buffer.from('11'));
      await a.values.remove('watch.two');
      await expect
        .poll(() => Object.fromEntries(seen))
        .toEqual({
          'watch.one': '11',
          'watch.two': undefined,
          'watch.three': '3',
        });
    });
  });
}

/** Waits until both nodes hear each other, as subscriptions take their time to be known. */
async function listening(...nodes: readonly ClusterStore[]): Promise<void> {
  for (const from of nodes) {
    for (const to of nodes) {
      let isHeard = false;
      const subject = `test.hears.${randomBytes(4).toString('hex')}`;
      const end = to.bus.subscribe(subject, () => {
        isHeard = true;
      });
      await expect
        .poll(() => {
          from.bus.publish(subject, Buffer.from(''));
          return isHeard;
        })
        .toBe(true);
      end();
    }
  }
}
