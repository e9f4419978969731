import { BlockList, isIP } from 'node:net';
import type { AskedHost, ForwardedHost } from '../../domain/asked-host.ts';
import { HOST_LENGTH_MAX, HOSTS_CACHED_MAX } from '../../domain/limits.ts';
import { recentlyUsed } from '../../domain/recently-used.ts';
import { type StandingHeaders, standingHeaders } from '../answers/standing-headers.ts';
import type { HttpRequest, HttpResponse } from '../library/sockets.ts';
import type { Head } from '../request-head.ts';
import { addressBytes, addressName, fullAddress } from './addresses.ts';

/** What a trusted proxy says of a request that it hands on. */
export interface Forwarded {
  /** What counts as the address of whoever asked it; empty where it does not say. */
  readonly address: string;
  /** Null where it does not say. */
  readonly isTls: boolean | null;
  /** The host that it was asked by, where it says so; else the one that the request has. */
  readonly hostOf: (host: AskedHost) => AskedHost;
}

export interface TrustedProxies {
  readonly forwarding: Forwarding;
  /** For those who asked a proxy by TLS. */
  readonly standing: StandingHeaders;
}

/** Null of a request that comes from no trusted proxy: nothing that it says of where it is from is looked at. */
export type Forwarding = (res: HttpResponse, req: HttpRequest) => Forwarded | null;

/** Null where none are trusted, so that nothing is asked of any request (docs/decisions/0144). */
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

/** The headers of all answers to a request. */
export const standingOf = (
  {
    standing,
    proxies,
  }: { readonly standing: StandingHeaders; readonly proxies: TrustedProxies | null },
  forwarded: Forwarded | null,
): StandingHeaders => (proxies !== null && forwarded?.isTls ? proxies.standing : standing);

/** The head as the proxy was sent it. */
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

/** Most requests come from the proxy of the one before. */
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

/** The right-most that is no trusted proxy: what is left of it was written by whoever is there, as they liked. */
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

/** Of several the one that the nearest proxy added. */
const lastOf = (list: string) => list.slice(list.lastIndexOf(',') + 1).trim();

function isTlsIn(proto: string): boolean | null {
  const last = lastOf(proto).toLowerCase();
  if (last === 'https' || last === 'wss') return true;
  return last === 'http' || last === 'ws' ? false : null;
}

/** Keeps the same object for the same words: by it a realm is found without looking at them. */
function openForwardedHosts() {
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

/** Of the request that is being read: there is one at a time. */
let reading = { addresses: '', host: '', proto: '' };

function readForwardedHeaders(req: HttpRequest) {
  reading = { addresses: '', host: '', proto: '' };
  req.forEach(readForwardedHeader);
  return reading;
}

/** A proxy may add a line of its own below that of whoever asked it. */
function readForwardedHeader(name: string, value: string) {
  if (!name.startsWith('x-forwarded-')) return;
  if (name === 'x-forwarded-for') reading.addresses += `,${value}`;
  else if (name === 'x-forwarded-host') reading.host = value;
  else if (name === 'x-forwarded-proto') reading.proto = value;
}
