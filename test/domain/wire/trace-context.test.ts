import { expect, test } from 'vitest';
import { traceIn, traceparentOf } from '../../../src/domain/wire/trace-context.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';

test.each([
  { header: `00-${TRACE}-${PARENT}-01`, isSampled: true },
  { header: `00-${TRACE}-${PARENT}-00`, isSampled: false },
  { header: `00-${TRACE}-${PARENT}-03`, isSampled: true },
  { header: `01-${TRACE}-${PARENT}-01-more`, isSampled: true },
])('the trace of $header is read', ({ header, isSampled }) => {
  expect(traceIn(header)).toEqual({ traceId: TRACE, isSampled });
});

test.each([
  { why: 'no header', header: '' },
  { why: 'an invalid version', header: `ff-${TRACE}-${PARENT}-01` },
  { why: 'a field too many', header: `00-${TRACE}-${PARENT}-01-more` },
  { why: 'no trace id', header: `00-${'0'.repeat(32)}-${PARENT}-01` },
  { why: 'no parent id', header: `00-${TRACE}-${'0'.repeat(16)}-01` },
  { why: 'capital letters', header: `00-${TRACE.toUpperCase()}-${PARENT}-01` },
  { why: 'a short id', header: `00-${TRACE.slice(1)}-${PARENT}-01` },
  { why: 'too long a header', header: `01-${TRACE}-${PARENT}-01-${'x'.repeat(200)}` },
])('$why is no trace', ({ header }) => {
  expect(traceIn(header)).toBeNull();
});

test('a request that is sent on has the same trace, and a parent of its own', () => {
  const context = { traceId: TRACE, isSampled: true };
  const [one, other] = [traceparentOf(context), traceparentOf(context)];
  expect(traceIn(one)).toEqual(context);
  expect(one).not.toBe(other);
});
