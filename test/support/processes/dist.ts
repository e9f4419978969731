import { join } from 'node:path';
import { inject } from 'vitest';

/** A built file of `src/`, for running it as a process. */
export const builtFile = (name: 'main' | 'confab' | 'migrate-process') =>
  join(inject('dist'), 'bundle', `${name}.js`);
