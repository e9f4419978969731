import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { NODE_OPTIONS } from '../../bench/servers/start.ts';

test.each(['start', 'serve'])('the suite starts Node with the options of npm run %s', (script) => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    scripts: Record<string, string>;
  };
  expect(scripts[script]).toContain(`exec node ${NODE_OPTIONS.join(' ')} dist/bundle/main.js`);
});
