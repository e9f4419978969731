import { GATEWAY_HEADER, nameClient, OWN_HEADERS } from '../../gateways/relay.ts';
import type { PassedRequest } from '../../transport/passing.ts';

interface FromHere {
  /** The word by which nodes know each other's requests. */
  readonly secret: string;
  /** True if clients of this node speak TLS. */
  readonly isTls: boolean;
}

/** Returns the headers of a request as it goes to another node, which is told whose it is. */
export function passedHeaders(
  { head, headers, address, isTls }: PassedRequest,
  here: FromHere,
): Record<string, string | string[]> {
  const passed: Record<string, string | string[]> = {};
  for (const [name, value] of headers) {
    if (OWN_HEADERS.has(name)) continue;
    const former = passed[name];
    passed[name] = former === undefined ? value : [former, value].flat();
  }
  const { host } = head.headers;
  const client = { address, host, isTls: isTls ?? here.isTls };
  passed[GATEWAY_HEADER] = nameClient(here.secret, client);
  return passed;
}

/** Tells whether another node has passed a request on already. */
export const wasPassed = ({ headers }: PassedRequest): boolean =>
  headers.some(([name]) => name === GATEWAY_HEADER);
