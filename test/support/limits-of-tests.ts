/**
 * Limits of requests are on in tests, as they are for operators, and higher: the clock of a test
 * stands still, so nothing is given back, and some send thousands.
 */
export const LIMITS_OF_TESTS = {
  CONFAB_REQUESTS_PER_MINUTE: '1000000',
  CONFAB_SENDS_PER_MINUTE: '1000000',
  CONFAB_SEARCHES_PER_MINUTE: '1000000',
  CONFAB_UPLOADS_PER_MINUTE: '1000000',
  CONFAB_MAILS_PER_MINUTE: '1000000',
  CONFAB_LOGINS_PER_MINUTE: '1000000',
  CONFAB_ANONYMOUS_REQUESTS_PER_MINUTE: '1000000',
};
