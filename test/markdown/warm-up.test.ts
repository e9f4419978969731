import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';

test('warming up loads the libraries, a step at a time', () => {
  const module = join(inject('dist'), 'src/markdown/warm-up.js');
  const script = `
    const { createRequire } = await import('node:module');
    const { warmUp } = await import(${JSON.stringify(module)});
    const loaded = (name) =>
      Object.keys(createRequire(${JSON.stringify(module)}).cache).some((file) => file.includes(name));
    const names = ['/katex/', '/languages/python', '/languages/java.', '/languages/ada.'];
    const before = names.map(loaded);
    let steps = 0;
    for (const _ of warmUp()) steps += 1;
    console.log(JSON.stringify({ before, after: names.map(loaded), steps }));
  `;
  const said = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
    encoding: 'utf8',
    cwd: join(import.meta.dirname, '../..'),
  });
  expect(JSON.parse(said)).toEqual({
    before: [false, false, false, false],
    after: [true, true, true, false],
    steps: expect.any(Number),
  });
  expect(JSON.parse(said).steps).toBeGreaterThan(20);
});
