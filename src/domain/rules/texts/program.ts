/** A program that asks, by its `User-Agent`: its name and its version, empty if it says none. */
export interface Program {
  readonly client: string;
  readonly version: string;
}

/** Browsers all begin with `Mozilla/5.0`; their own names come later, in the order of this list. */
const BROWSERS = ['Edg', 'OPR', 'Firefox', 'Chrome', 'Safari'];

/** A client may send any text. */
const TEXT_LENGTH_MAX = 60;

/** Returns the program that a `User-Agent` names. */
export function programIn(userAgent: string): Program {
  const browser = BROWSERS.find((name) => userAgent.includes(`${name}/`));
  const isBrowser = userAgent.startsWith('Mozilla/') && browser !== undefined;
  const from = isBrowser ? userAgent.slice(userAgent.indexOf(`${browser}/`)) : userAgent;
  const [, client = '', version = ''] = /^([^/\s]+)(?:\/(\S+))?/.exec(from.trim()) ?? [];
  return {
    client: client.slice(0, TEXT_LENGTH_MAX),
    version: version.slice(0, TEXT_LENGTH_MAX),
  };
}
