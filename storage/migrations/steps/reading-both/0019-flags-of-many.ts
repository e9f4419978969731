/**
 * Schema 19: the log holds flags by what they are, and not by user. Flags written before stay as
 * they are, because both are read; but older versions of the server do not read the new ones.
 */
export function readFlagsOfBoth() {}
