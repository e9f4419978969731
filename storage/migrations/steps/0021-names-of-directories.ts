/**
 * Schema 21: notes of directories have two more columns, which rows of before lack. A version
 * before would write rows without them, so it does not own a store that has them.
 */
export function addNamesOfDirectories() {}
