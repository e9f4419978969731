import { createRequire } from 'node:module';
import { z } from 'zod';

/** What GitHub has posted, as its users recorded it: nearly every event, several times. */
export interface Recorded {
  readonly event: string;
  readonly examples: readonly Readonly<Record<string, unknown>>[];
}

const RECORDED = z.array(
  z.object({ name: z.string(), examples: z.array(z.record(z.string(), z.unknown())).min(1) }),
);

export const recordedGithub: readonly Recorded[] = RECORDED.parse(
  createRequire(import.meta.url)('@octokit/webhooks-examples'),
).map(({ name: event, examples }) => ({ event, examples }));
