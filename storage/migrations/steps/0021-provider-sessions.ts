/**
 * Schema 21: tables of the sessions that providers have vouched for are new. There is nothing to
 * convert; but a version before would leave their rows behind, so it does not open the store.
 */
export function addProviderSessions() {}
