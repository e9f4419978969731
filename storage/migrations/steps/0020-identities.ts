/**
 * Schema 20: accounts may be of persons of providers, and sessions say how they began; a directory
 * may have a token, and ids for accounts and groups. Nothing is of anybody yet; but older versions
 * of the server would not export and check the rows.
 */
export function readIdentities() {}
