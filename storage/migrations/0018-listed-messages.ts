/**
 * Schema 18: the log holds messages as lists of their fields. Those that were written before stay as they are, because both
 * are read; but what came before this does not read the lists.
 */
export function readBoth() {}
