import type { HttpResponse } from './sockets.ts';

/** Where a request comes from, as text: what counts as one address. */
export const addressOf = (res: HttpResponse): string =>
  addressName(new Uint8Array(res.getRemoteAddress()));

/**
 * An address of IPv4, also one written as IPv6 ("IPv4-mapped", RFC 4291 2.5.5.2). Of IPv6 the first half: the other half is
 * chosen by whoever has the network, and there are more of them than can be counted.
 */
export function addressName(bytes: Uint8Array): string {
  if (bytes.length === 4) return bytes.join('.');
  if (MAPPED.every((byte, index) => bytes[index] === byte)) {
    return bytes.subarray(MAPPED.length).join('.');
  }
  return Buffer.from(bytes.subarray(0, NETWORK_BYTES)).toString('hex');
}

const MAPPED = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff];
const NETWORK_BYTES = 8;
