/**
 * Programs whose user has just written the message, so that it starts out read
 * (reference/endpoints.md 1.1).
 */
const APPS = ['website', 'ios', 'android'];
const PREFIXED_APPS = ['android', 'ios', 'desktop', 'mobile', 'electron', 'terminal'];

/** Existing clients call themselves by the configured prefix and a word. */
export function isReadBySender(client: string, aliasPrefix: string): boolean {
  const name = client.toLowerCase();
  return (
    APPS.includes(name) ||
    (aliasPrefix !== '' && PREFIXED_APPS.some((app) => name === `${aliasPrefix}${app}`))
  );
}
