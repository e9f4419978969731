/**
 * Schema 20: the tables of second steps of log-ins are new. There is nothing to convert, and older
 * versions of the server, which would let a password alone log in, do not open the store.
 */
export function addSecondSteps() {}
