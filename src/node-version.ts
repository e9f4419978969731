/** The oldest release of each version of Node that is tested, as `engines` of package.json. */
const OLDEST: Readonly<Record<string, number>> = { 20: 19, 22: 12, 24: 0 };

/**
 * Says what to do if this Node is too old, which its own error would not: a name that it lacks.
 * Others than the tested ones may do; whether there is a socket library for them is seen later.
 */
export function nodeRefusal(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isTooOld = major < 20 || minor < (OLDEST[major] ?? 0);
  if (!isTooOld) return undefined;
  const needed = Object.entries(OLDEST).map(([each, least]) => `${each}.${least}`);
  return (
    `this is Node ${version}, and confab needs ${needed.join(', ')} or later. ` +
    'Install Node 24, or the newest release of the version that you have.'
  );
}

/** Ends a process that runs a Node which is too old. */
export function refuseOldNode(): void {
  const refusal = nodeRefusal(process.versions.node);
  if (refusal === undefined) return;
  process.stderr.write(`confab: ${refusal}\n`);
  process.exit(1);
}
