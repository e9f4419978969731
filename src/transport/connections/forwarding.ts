import { BlockList, isIP } from 'node:net';
import { HOST_LENGTH_MAX, HOSTS_CACHED_MAX } from '../../domain/limits/requests.ts';
import { recentlyUsed } from '../../domain/recently-used.ts';
import type { ForwardedHost, RequestHost } from '../../domain/request-host.ts';
import { type StandingHeaders, standingHeaders } from '../answers/standing-headers.ts';
import type { HttpRequest, HttpResponse } from '../library/sockets.ts';
import type { Head } from '../request-head.ts';
import { addressBytes, addressName, fullAddress } from './addresses.ts';
import { forwardedElements } from './forwarded-header.ts';

/** The headers of a trusted proxy about a request that it forwards. */
export interface Forwarded {
  /** The client's address, in the form that limits count; empty if the proxy does not say. */
  readonly address: string;
  /** Null if the proxy does not say. */
  readonly isTls: boolean | null;
  /** Returns the host that the client named, if the proxy says so; else the host of the request. */
  readonly hostOf: (host: RequestHost) => RequestHost;
}

export interface TrustedProxies {
  readonly forwarding: Forwarding;
  /** Headers of answers to clients that reached the proxy over TLS. */
  readonly standing: StandingHeaders;
}

/**
 * Reads the headers of a proxy. Returns null for a request of any other client, whose such headers
 * are ignored.
 */
export type Forwarding = (res: HttpResponse, req: HttpRequest) => Forwarded | null;

/**
 * Returns null if no proxies are trusted, so that requests are not examined at all
 * (docs/decisions/0144).
 */
export const trustedProxies = (
  trusted: readonly string[],
  allowedOrigins: readonly string[],
): TrustedProxies | null =>
  trusted.length === 0
    ? null
    : {
        forwarding: openForwarding(trusted),
        standing: standingHeaders({ isTls: true, allowedOrigins }),
      };

/** Returns the headers of all answers to a request. */
export const standingOf = (
  {
    standing,
    proxies,
  }: { readonly standing: StandingHeaders; readonly proxies: TrustedProxies | null },
  forwarded: Forwarded | null,
): StandingHeaders => (proxies !== null && forwarded?.isTls ? proxies.standing : standing);

/** Returns the head as the client sent it to the proxy. */
export function asForwarded(head: Head, forwarded: Forwarded | null): Head {
  if (forwarded !== null) head.headers.host = forwarded.hostOf(head.headers.host);
  return head;
}

export function openForwarding(trusted: readonly string[]): Forwarding {
  const isTrusted = openTrust(trusted);
  const isTrustedPeer = withLatest(isTrusted);
  const forwardedHost = openForwardedHosts();
  return (res, req) => {
    const peer = new Uint8Array(res.getRemoteAddress());
    if (!isTrustedPeer(peer)) return null;
    const said = readForwardedHeaders(req);
    const isTls = isTlsIn(said.proto);
    const name = lastOf(said.host);
    return {
      address: said.addresses === '' ? '' : addressName(senderIn(said.addresses, peer, isTrusted)),
      isTls,
      hostOf(host) {
        if (name !== '') return forwardedHost(name, true, isTls);
        return isTls === null || typeof host !== 'string'
          ? host
          : forwardedHost(host, false, isTls);
      },
    };
  };
}

type IsTrusted = (address: Uint8Array) => boolean;

function openTrust(trusted: readonly string[]): IsTrusted {
  const list = new BlockList();
  for (const range of trusted) {
    const [address = '', bits] = range.split('/');
    const family = familyOf(address);
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return (address) => {
    const text = fullAddress(address);
    return isIP(text) !== 0 && list.check(text, familyOf(text));
  };
}

const familyOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

/** Caches the latest verdict: most requests come from the same proxy as the one before. */
function withLatest(isTrusted: IsTrusted): IsTrusted {
  let latest: Uint8Array = new Uint8Array();
  let verdict = false;
  return (address) => {
    if (address.length !== latest.length || !address.every((byte, at) => byte === latest[at])) {
      latest = address;
      verdict = isTrusted(address);
    }
    return verdict;
  };
}

/**
 * Returns the right-most address that is not a trusted proxy: clients can forge the ones to the
 * left of it.
 */
function senderIn(addresses: string, peer: Uint8Array, isTrusted: IsTrusted): Uint8Array {
  let sender = peer;
  for (let end = addresses.length; end > 0; ) {
    const comma = addresses.lastIndexOf(',', end - 1);
    const text = addresses.slice(comma + 1, end).trim();
    end = comma;
    if (text === '') continue;
    const address = addressBytes(text);
    if (address === undefined) return sender;
    sender = address;
    if (!isTrusted(sender)) return sender;
  }
  return sender;
}

/** Returns the last value of a list, which the nearest proxy added. */
const lastOf = (list: string) => list.slice(list.lastIndexOf(',') + 1).trim();

function isTlsIn(proto: string): boolean | null {
  const last = lastOf(proto).toLowerCase();
  if (last === 'https' || last === 'wss') return true;
  return last === 'http' || last === 'ws' ? false : null;
}

/**
 * Returns the same object for equal headers, so that a realm is found by it without a comparison of
 * texts.
 */
export function openForwardedHosts() {
  const known = recentlyUsed<string, ForwardedHost>(HOSTS_CACHED_MAX);
  return (name: string, isVouched: boolean, isTls: boolean | null): ForwardedHost => {
    const words = `${isVouched} ${isTls} ${name}`;
    const found = known.get(words);
    if (found !== undefined) return found;
    const host = { name, isVouched, isTls };
    if (name.length <= HOST_LENGTH_MAX) known.set(words, host);
    return host;
  };
}

/** Headers of the request that is being read: there is one at a time. */
let reading = { addresses: '', host: '', proto: '', standard: '' };

function readForwardedHeaders(req: HttpRequest) {
  reading = { addresses: '', host: '', proto: '', standard: '' };
  req.forEach(readForwardedHeader);
  const { addresses, host, proto, standard } = reading;
  if (standard === '' || addresses + host + proto !== '') return reading;
  return fromStandard(standard);
}

/**
 * Reads `Forwarded`, if no `X-Forwarded-…` header is there: a proxy that writes those may pass on a
 * `Forwarded` of its client (decision 0171).
 */
function fromStandard(standard: string) {
  const elements = forwardedElements(standard);
  // A malformed header names nobody, so that the sender is the proxy.
  if (elements === undefined) return { addresses: ',', host: '', proto: '' };
  const { host = '', proto = '' } = elements.at(-1) ?? {};
  return { addresses: elements.map((element) => element.for ?? 'unknown').join(','), host, proto };
}

/** Reads one header line. A proxy may add a line of its own below that of the client. */
function readForwardedHeader(name: string, value: string) {
  if (name === 'forwarded') reading.standard += reading.standard === '' ? value : `,${value}`;
  if (!name.startsWith('x-forwarded-')) return;
  if (name === 'x-forwarded-for') reading.addresses += `,${value}`;
  else if (name === 'x-forwarded-host') reading.host = value;
  else if (name === 'x-forwarded-proto') reading.proto = value;
}
