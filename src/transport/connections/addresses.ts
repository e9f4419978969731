import { isIPv4, isIPv6 } from 'node:net';
import type { HttpResponse } from '../library/sockets.ts';

/** Returns the address of a request as text: requests with the same text count as one address. */
export const addressOf = (res: HttpResponse): string =>
  addressName(new Uint8Array(res.getRemoteAddress()));

/**
 * Returns an IPv4 address, also one written as IPv6 ("IPv4-mapped", RFC 4291 2.5.5.2), or the first
 * half of an IPv6 address: the owner of the network chooses the other half, which has too many
 * values to count.
 */
export function addressName(bytes: Uint8Array): string {
  return ofIPv4(bytes) ?? Buffer.from(bytes.subarray(0, NETWORK_BYTES)).toString('hex');
}

/** Returns the whole address as it is written; empty if there is none. */
export function fullAddress(bytes: Uint8Array): string {
  const groups = Buffer.from(bytes).toString('hex').match(/.{4}/g) ?? [];
  return ofIPv4(bytes) ?? groups.join(':');
}

function ofIPv4(bytes: Uint8Array): string | undefined {
  if (bytes.length === 4) return bytes.join('.');
  const isMapped = MAPPED.every((byte, index) => bytes[index] === byte);
  return isMapped ? bytes.subarray(MAPPED.length).join('.') : undefined;
}

/** Parses an address in text, which may have a port behind it; undefined for any other text. */
export function addressBytes(text: string): Uint8Array | undefined {
  if (text.length > ADDRESS_LENGTH_MAX) return undefined;
  const address = WITH_PORT.exec(text)?.slice(1).find(Boolean) ?? text;
  if (isIPv4(address)) return Uint8Array.from(address.split('.'), Number);
  if (!isIPv6(address) || address.includes('%')) return undefined;
  // The URL parser normalizes it to hexadecimal groups with at most one gap.
  const { hostname } = new URL(`http://[${address}]`);
  const [before = [], after = []] = hostname.slice(1, -1).split('::').map(groupsOf);
  const gap = Array<string>(IPV6_GROUPS - before.length - after.length).fill('0000');
  return Buffer.from([...before, ...gap, ...after].join(''), 'hex');
}

const groupsOf = (text: string) =>
  text === '' ? [] : text.split(':').map((group) => group.padStart(4, '0'));

/** Matches `192.0.2.1:80`, `[2001:db8::1]` and `[2001:db8::1]:80`. */
const WITH_PORT = /^(?:([\d.]+):\d+|\[([\da-fA-F:.]+)\](?::\d+)?)$/;
/** The longest form is `[`, an IPv6 address with an IPv4 one in it, `]:`, a port. */
const ADDRESS_LENGTH_MAX = 53;
const IPV6_GROUPS = 8;

const MAPPED = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff];
const NETWORK_BYTES = 8;
