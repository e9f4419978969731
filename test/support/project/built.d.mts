/** Returns the folder whose build is loaded by this run and by others, if somebody made one. */
export function builtBefore(): string | undefined;

/** Builds the server for tests into a folder of the project, without a check of its types. */
export function buildInto(dist: string): void;
