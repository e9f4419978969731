import { expect, test } from 'vitest';
import { recordExamples } from './support/examples/recording.ts';

test('the examples are what a server answers; `npm run docs` writes them', async () => {
  const { operations, events } = await recordExamples();
  const lines = (values: Readonly<Record<string, unknown>>) =>
    Object.entries(values)
      .map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`)
      .join(',\n');
  const text = `{"operations": {\n${lines(operations)}\n}, "events": {\n${lines(events)}\n}}\n`;
  await expect(text).toMatchFileSnapshot('../src/endpoints/documents/examples.json');
});
