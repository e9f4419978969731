/**
 * Schema 21: the tables of sessions that providers have vouched for are new, and notes of
 * directories have two more columns, which rows of before lack. There is nothing to convert; but a
 * version before would leave the rows behind and write notes without them, so it does not own a
 * store that has them.
 */
export function addSessionsAndNames() {}
