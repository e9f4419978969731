import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LineCutter } from '../../src/domain/lines.ts';

test('lines are the same however their bytes come, and one that is too long is left out', () => {
  const lines = fc.array(fc.string({ unit: fc.constantFrom('a', '–', ' ') }));
  const sizes = fc.infiniteStream(fc.integer({ min: 1, max: 9 }));
  const bytesMax = 8;
  fc.assert(
    fc.property(lines, sizes, fc.boolean(), (texts, parts, isEnded) => {
      const cutter = new LineCutter(bytesMax);
      const whole = texts.map((text) => `${text}\n`).join('');
      const bytes = Buffer.from(isEnded ? whole : whole.slice(0, -1));
      const cut: (Buffer | null)[] = [];
      for (let at = 0; at < bytes.length; ) {
        const { value } = parts.next();
        cut.push(...cutter.cut(bytes.subarray(at, at + value)));
        at += value;
        const open = bytes.subarray(0, at).toString('latin1').split('\n').at(-1) ?? '';
        expect(cutter.isTooLong).toBe(open.length > bytesMax);
      }
      cut.push(...cutter.rest());
      // Nothing behind the last end is no line.
      const all = isEnded || texts.at(-1) !== '' ? texts : texts.slice(0, -1);
      const expected = all.map((text) => (Buffer.byteLength(text) > bytesMax ? null : text));
      expect(cut.map((line) => line?.toString() ?? null)).toEqual(expected);
    }),
  );
});
