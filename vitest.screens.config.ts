import { defineConfig, mergeConfig } from 'vitest/config';
import base from './vitest.config.ts';

/** Takes the pictures of the documents: a program that needs a server, a browser and a seeded realm. */
// biome-ignore lint/style/noDefaultExport: the runner of tests asks for it.
export default mergeConfig(
  { ...base, test: { ...base.test, projects: undefined } },
  defineConfig({ test: { include: ['test/screens/*.pictures.ts'], testTimeout: 300_000 } }),
);
