/**
 * Classes of addresses, the only trace of where a key was used: a class identifies no person, and
 * still tells a log-in at home from one from the Internet.
 */
export const ADDRESS_CLASSES = ['loopback', 'private', 'public'] as const;
export type AddressClass = (typeof ADDRESS_CLASSES)[number];

/**
 * Returns the class of an address in the form by which requests are counted: four numbers with
 * dots, or the first half of an IPv6 address in hex digits. Null for an empty address, which a
 * client has that has disconnected.
 */
export function addressClass(address: string): AddressClass | null {
  if (address === '') return null;
  return address.includes('.') ? classOfIPv4(address) : classOfIPv6(address);
}

function classOfIPv4(address: string): AddressClass {
  const [first = 0, second = 0] = address.split('.', 2).map(Number);
  if (first === 127) return 'loopback';
  const isPrivate =
    first === 10 ||
    (first === 100 && second >= 64 && second < 128) ||
    (first === 169 && second === 254) ||
    (first === 172 && second >= 16 && second < 32) ||
    (first === 192 && second === 168);
  return isPrivate ? 'private' : 'public';
}

/**
 * In the half with all zeros only `::1` is in use. Unique local addresses begin with fc or fd,
 * link-local with fe80.
 */
function classOfIPv6(firstHalf: string): AddressClass {
  if (/^0+$/.test(firstHalf)) return 'loopback';
  return /^(?:f[cd]|fe[89ab])/.test(firstHalf) ? 'private' : 'public';
}
