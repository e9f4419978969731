/** Returns the folder whose build is loaded by this run and by others, if somebody made one. */
export function builtBefore(): string | undefined;

/** Returns the folder where a run is to leave the build that it makes, if somebody wants it. */
export function keptBuild(): string | undefined;

/**
 * Builds the server for tests into a folder of the project, without a check of its types, or copies
 * what was built before.
 */
export function buildInto(dist: string, before?: string): void;
