/**
 * Returns the browser and the system of a `User-Agent` header in words, such as `Firefox on Linux`,
 * for a person who looks for a browser of theirs; empty for anything else. The whole header would
 * tell browsers apart that nobody can.
 */
export function agentName(userAgent: string): string {
  const agent = userAgent.slice(0, AGENT_LENGTH_MAX);
  const browser = BROWSERS.find(([, pattern]) => pattern.test(agent))?.[0];
  const system = SYSTEMS.find(([, pattern]) => pattern.test(agent))?.[0];
  if (browser === undefined) return system ?? '';
  return system === undefined ? browser : `${browser} on ${system}`;
}

/** Characters of a header that are looked at; browsers send fewer. */
const AGENT_LENGTH_MAX = 500;

/** Most browsers name others that they resemble, so the order matters. */
const BROWSERS = [
  ['Edge', /\bEdg(?:e|A|iOS)?\//],
  ['Opera', /\bOPR\//],
  ['Samsung Internet', /\bSamsungBrowser\//],
  ['Vivaldi', /\bVivaldi\//],
  ['Firefox', /\b(?:Firefox|FxiOS)\//],
  ['Chrome', /\b(?:Chrome|CriOS|HeadlessChrome)\//],
  ['Safari', /\bSafari\//],
] as const;

const SYSTEMS = [
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['Android', /\bAndroid\b/],
  ['Windows', /\bWindows\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['macOS', /\bMac OS X\b/],
  ['Linux', /\bLinux\b/],
] as const;
