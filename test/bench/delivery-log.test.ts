import { expect, test } from 'vitest';
import { faults } from '../../bench/fixtures/subject.ts';
import { createDeliveryLog, type Listener } from '../../bench/load/delivery-log.ts';
import { createKnownEventsCache } from '../../bench/load/known-events.ts';

/** Returns the events of a frame, as a listener gets them. */
interface Given {
  readonly event: number;
  readonly message: number;
  readonly content?: string;
  readonly isHtml?: boolean;
  readonly flags?: readonly string[];
}

function fixture(listenerCount: number, markedCount = 0) {
  const deliveryLog = createDeliveryLog();
  const cache = createKnownEventsCache();
  const listeners = Array.from({ length: listenerCount }, (_, index) =>
    deliveryLog.addListener({ userId: index + 1, lastEventId: 0, isMarked: index < markedCount }),
  );
  const [first, second] = listeners;
  if (first === undefined || second === undefined) throw new Error('two at least');
  return {
    first,
    second,
    give: (listener: Listener, { event, message, content = 'hello', ...form }: Given) => {
      const wire = {
        id: message,
        sender_id: 9,
        subject: 'load',
        content,
        content_type: form.isHtml ? 'text/html' : 'text/x-markdown',
      };
      const events = [{ id: event, type: 'message', flags: form.flags ?? [], message: wire }];
      const bytes = Buffer.from(JSON.stringify({ type: 'events', events }));
      const place = { bytes, start: 0, end: bytes.length };
      const known = cache.read(place, Buffer.alloc(0), listener.lastKnown + 1);
      if (known === undefined) throw new Error('that is a list of events');
      deliveryLog.take(listener, known, 5);
    },
    send: (message: number, change = {}) =>
      deliveryLog.acknowledge(message, {
        index: message,
        plannedMs: 0,
        content: 'hello',
        topic: 'load',
        html: '<p>hello</p>',
        ...change,
      }),
    faults: () => faults('confab', { ...deliveryLog.verdict(), reconnects: 0, failures: [] }),
  };
}

test('a message that every listener has once is no fault, whether the reply or the event came first', () => {
  const { first, second, give, send, faults: found } = fixture(2);

  give(first, { event: 1, message: 11 });
  send(11);
  give(second, { event: 1, message: 11 });

  expect(found()).toEqual([]);
});

test('one listener without a message is a lost delivery', () => {
  const { first, give, send, faults: found } = fixture(2);

  send(11);
  give(first, { event: 1, message: 11 });

  expect(found()).toEqual(['confab: 1 lost']);
});

test('the same message in two replies is one that is nowhere', () => {
  const { first, second, give, send, faults: found } = fixture(2);

  send(11);
  send(11);
  for (const one of [first, second]) give(one, { event: 1, message: 11 });

  expect(found()).toEqual(['confab: 2 lost']);
});

test('a message that comes again is repeated, and so is one that no reply names', () => {
  const { first, second, give, send, faults: found } = fixture(2);

  send(11);
  for (const one of [first, second]) give(one, { event: 1, message: 11 });
  give(first, { event: 2, message: 11 });
  give(first, { event: 3, message: 12 });

  expect(found()).toEqual(['confab: 2 repeated']);
});

test('an older message behind a newer one is out of order', () => {
  const { first, second, give, send, faults: found } = fixture(2);

  for (const id of [11, 12]) send(id);
  give(first, { event: 1, message: 12 });
  give(first, { event: 2, message: 11 });
  give(second, { event: 1, message: 11 });
  give(second, { event: 2, message: 12 });

  expect(found()).toEqual(['confab: 1 out of order']);
});

test('each form that listeners want is held against what was sent', () => {
  const { first, second, give, send, faults: found } = fixture(2);

  for (const id of [11, 12]) send(id);
  give(first, { event: 1, message: 11 });
  give(second, { event: 1, message: 11, content: '<p>hello</p>', isHtml: true });
  give(first, { event: 2, message: 12 });
  give(second, { event: 2, message: 12, content: '<p>hallo</p>', isHtml: true });

  expect(found()).toEqual(['confab: 1 altered']);
});

test('who is mentioned together is told so, and nobody else', () => {
  const { first, second, give, send, faults: found } = fixture(2, 1);

  send(11, { mentionsMarked: true });
  give(first, { event: 1, message: 11, flags: ['mentioned'] });
  give(second, { event: 1, message: 11 });
  expect(found()).toEqual([]);

  send(12, { mentionsMarked: true });
  give(first, { event: 2, message: 12 });
  give(second, { event: 2, message: 12, flags: ['mentioned'] });
  expect(found()).toEqual(['confab: 2 mentions missing or too many']);
});
