const PORT = 4222;

/** The address of a NATS server. */
export interface ServerAddress {
  /** The host as URLs have it: a name in ASCII, an IPv4 address, or an IPv6 one in brackets. */
  readonly hostInUrl: string;
  /** The same without brackets. */
  readonly host: string;
  readonly port: number;
  /** Empty if the URL has none, as the password. */
  readonly user: string;
  readonly password: string;
}

/** Reads `nats://user:password@host:4222`, or the same by `tls://`. Throws if it is no URL. */
export function addressOf(server: string): ServerAddress {
  // The names of hosts are made ASCII for schemes that `URL` knows, but it leaves out their ports.
  const { hostname, username, password } = new URL(server.replace(/^(nats|tls):/, 'http:'));
  const { port } = new URL(server);
  return {
    hostInUrl: hostname,
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? PORT : Number(port),
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
  };
}
