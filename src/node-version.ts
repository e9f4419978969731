/** The oldest release of each version of Node that is tested, as `engines` of package.json. */
const OLDEST: Readonly<Record<string, number>> = { 20: 19, 22: 12, 24: 0 };

/** The oldest C library of GNU that every compiled package loads with; lmdb needs it. */
const GLIBC_MIN = '2.34';

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

/** Says what to do if an error is that of a compiled package which does not load here. */
function loadingRefusal(error: unknown): string | undefined {
  // Some packages throw an error of their own, for this reason.
  const faults = [error, (error as Error | null)?.cause] as (NodeJS.ErrnoException | null)[];
  const fault = faults.find((one) => one?.code === 'ERR_DLOPEN_FAILED');
  if (!fault) return undefined;
  const [why] = fault.message.split('\n');
  return (
    `a compiled package does not load: ${why}. confab needs Linux with glibc ${GLIBC_MIN} or ` +
    'later, such as Debian 12 or Ubuntu 22.04. If this is such a system, run `npm ci` again.'
  );
}

/** Ends a process that runs a Node which is too old. */
export function refuseOldNode(): void {
  const refusal = nodeRefusal(process.versions.node);
  if (refusal !== undefined) endWith(refusal);
}

/** Ends the process if a compiled package does not load; any other error is left to the caller. */
export function refuseSystem(error: unknown): void {
  const refusal = loadingRefusal(error);
  if (refusal !== undefined) endWith(refusal);
}

function endWith(refusal: string): never {
  process.stderr.write(`confab: ${refusal}\n`);
  process.exit(1);
}
