const TRIES_MAX = 20;
// A client looks for events, or tries again, once a second.
const PATIENCE_MS = 1_500;

/**
 * Says something again and again until it is heard. A client that registers its queue by itself
 * does not say when it has it, and hears nothing from before.
 */
export async function untilHeard(
  say: (attempt: number) => Promise<unknown>,
  heard: Promise<unknown>,
) {
  const isHeard = heard.then(() => true);
  for (let attempt = 1; attempt <= TRIES_MAX; attempt += 1) {
    await say(attempt);
    if (await Promise.race([isHeard, patience()])) return;
  }
  await isHeard;
}

const patience = () =>
  new Promise<false>((resolve) => void setTimeout(() => resolve(false), PATIENCE_MS));
