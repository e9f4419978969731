import { nonBlank } from '../params.ts';

/** Base64 for URLs without padding (RFC 4648, section 5), as browsers write keys. */
const base64url = nonBlank.max(100, 'is too long').regex(/^[A-Za-z0-9_-]+$/, 'is not base64url');

export const endpointUrl = nonBlank
  .max(2_000, 'is too long')
  .describe('The address at the push service, of https');
export const p256dh = base64url.describe("The browser's key on P-256, base64url (RFC 8291)");
export const auth = base64url.describe("The browser's secret of 16 bytes, base64url (RFC 8291)");
