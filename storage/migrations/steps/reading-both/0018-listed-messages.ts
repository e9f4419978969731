/**
 * Schema 18: the log holds messages as lists of their fields. Messages written before stay as they
 * are, because both are read; but older versions of the server do not read the lists.
 */
export function readBoth() {}
