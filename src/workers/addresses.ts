import net from 'node:net';

/**
 * Tells whether an address is not one of the public internet, such as one of this machine, of its
 * networks or for multicast.
 */
export const isSpecialAddress = (address: string): boolean =>
  SPECIAL.check(address, net.isIPv6(address) ? 'ipv6' : 'ipv4');

const SPECIAL = new net.BlockList();

/**
 * The special-purpose registries of IANA (RFC 6890 and its successors). The list of IPv4 also holds
 * for `::ffff:a.b.c.d`.
 */
const IPV4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const;

const IPV6 = [
  ['::', 96],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
  ['5f00::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
] as const;

for (const [address, bits] of IPV4) SPECIAL.addSubnet(address, bits, 'ipv4');
for (const [address, bits] of IPV6) SPECIAL.addSubnet(address, bits, 'ipv6');
