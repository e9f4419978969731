import { expect, test } from 'vitest';
import { escapeHtml } from '../../../../src/domain/rules/texts/html.ts';

test('whatever means something in HTML is escaped, once', () => {
  expect(escapeHtml(`<a b="c" d='e'>&amp;</a>`)).toBe(
    '&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt;&amp;amp;&lt;/a&gt;',
  );
  expect(escapeHtml('plain ✔ text')).toBe('plain ✔ text');
});
