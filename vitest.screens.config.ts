import { defineConfig } from 'vitest/config';
import base from './vitest.config.ts';

/** Takes the pictures of the documents: a program that needs a server, a browser and a realm. */
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    projects: [
      {
        extends: true,
        test: { name: 'screens', include: ['test/screens/*.pictures.ts'], testTimeout: 300_000 },
      },
    ],
  },
});
