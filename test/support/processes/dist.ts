import { join } from 'node:path';
import { inject } from 'vitest';

/** A built file of `src/`, for running it as a process: `main` or `confab`. */
export const builtFile = (name: 'main' | 'confab') => join(inject('dist'), 'bundle', `${name}.js`);
