/**
 * Schema 20: tables of second steps of log-ins, persons of providers, imports and pushes are new,
 * and sessions say how they began. There is nothing to convert; but a version before would let a
 * password alone log in, so it does not open the store.
 */
export function addMovingIn() {}
