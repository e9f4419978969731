/** Schema 20: tables of imports, which are empty at first. Older versions do not know them. */
export function beginWithoutImports() {}
