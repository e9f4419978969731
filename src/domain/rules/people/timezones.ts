/** Tests for an identifier of the IANA time zone database, in its own spelling. */
export function isTimezone(name: string): boolean {
  if (!NAME.test(name)) return false;
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions();
    // An alias resolves to another name. A name that differs only in case is not an identifier for
    // existing clients.
    return timeZone === name || timeZone.toLowerCase() !== name.toLowerCase();
  } catch {
    return false;
  }
}

const NAME = /^[A-Z][A-Za-z0-9_+-]*(\/[A-Z][A-Za-z0-9_+-]*){0,2}$/;
