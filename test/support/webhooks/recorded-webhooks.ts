import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import fc from 'fast-check';
import { z } from 'zod';

type Payload = Readonly<Record<string, unknown>>;

/**
 * A kind of event that GitHub has posted, as its users recorded it: nearly every event, several
 * times.
 */
interface Recorded {
  readonly event: string;
  readonly examples: readonly Payload[];
}

const RECORDED = z.array(
  z.object({ name: z.string(), examples: z.array(z.record(z.string(), z.unknown())).min(1) }),
);

export const recordedGithub: readonly Recorded[] = RECORDED.parse(
  createRequire(import.meta.url)('@octokit/webhooks-examples'),
).map(({ name: event, examples }) => ({ event, examples }));

/** Projects that kept what GitLab has posted; `NOTICE.md` of the fixtures says more about them. */
const KEEPERS = ['go-scm', 'woodpecker'] as const;

/** Payloads that GitLab has posted, from 2017 to 2025; a payload names its event itself. */
export const recordedGitlab: readonly { readonly name: string; readonly payload: Payload }[] =
  KEEPERS.flatMap((keeper) => {
    const folder = new URL(`../../fixtures/webhooks/gitlab-recorded/${keeper}/`, import.meta.url);
    return readdirSync(folder)
      .filter((file) => file.endsWith('.json'))
      .map((file) => ({
        name: `${keeper}: ${file.slice(0, -'.json'.length)}`,
        payload: z
          .record(z.string(), z.unknown())
          .parse(JSON.parse(readFileSync(new URL(file, folder), 'utf8'))),
      }));
  });

const anything = fc.constantFrom<unknown>(
  null,
  [],
  {},
  '',
  ' ',
  'x'.repeat(20_000),
  '@**all**',
  '\0\ud800',
  '```',
  -1,
  1e300,
  true,
  [[null]],
);

/** One that GitLab sent, every fourth time: there are fewer of them. */
const recorded = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      ...recordedGithub.flatMap(({ event, examples }) =>
        examples.map((payload) => ({ service: 'github' as const, event, payload })),
      ),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      ...recordedGitlab.map(({ payload }) => ({ service: 'gitlab' as const, event: '', payload })),
    ),
  },
);

const changes = fc.array(fc.tuple(fc.noBias(fc.integer({ min: 0, max: 999 })), anything), {
  minLength: 1,
  maxLength: 4,
});

/** A recorded payload with anything in place of some of its parts. */
export const changedPayloads = fc.tuple(recorded, changes).map(([{ payload, ...of }, parts]) => ({
  ...of,
  payload: parts.reduce<unknown>(
    (whole, [at, other]) => withPart(whole, { at: (at / 1_000) ** 2, other }),
    payload,
  ),
}));

/**
 * Returns the payload with something else for one of its parts: the nearer `at` is to nought, the
 * further outside.
 */
function withPart(whole: unknown, { at, other }: { at: number; other: unknown }): unknown {
  const paths: string[][] = [];
  for (let level: [string[], unknown][] = [[[], whole]]; level.length > 0; ) {
    paths.push(...level.map(([path]) => path));
    level = level.flatMap(([path, value]) =>
      typeof value === 'object' && value !== null
        ? Object.entries(value).map(([name, inner]): [string[], unknown] => [
            [...path, name],
            inner,
          ])
        : [],
    );
  }
  const path = paths[Math.min(paths.length - 1, Math.floor(at * paths.length))] ?? [];
  const replaced = (value: unknown, depth: number): unknown => {
    const name = path[depth];
    if (name === undefined) return other;
    if (Array.isArray(value)) {
      return value.map((item, index) =>
        String(index) === name ? replaced(item, depth + 1) : item,
      );
    }
    const fields = Object.entries(value as object);
    return Object.fromEntries(
      fields.map(([key, item]) => [key, key === name ? replaced(item, depth + 1) : item]),
    );
  };
  return replaced(whole, 0);
}
