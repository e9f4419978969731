/**
 * Schema 19: the log holds flags by what they are, and not by user. Those that were written before stay as they are, because
 * both are read; but what came before this does not read the new ones.
 */
export function readFlagsOfBoth() {}
