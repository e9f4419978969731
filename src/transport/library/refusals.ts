import { NEWER, OLDER, type Target } from './packages.ts';

/** Says that no build of the socket library runs here, and what the operator can do. */
export class NotNative extends Error {}

/** The facts of a machine that decide which build loads. */
export interface System extends Target {
  /** The version of Node. */
  readonly node: string;
  /** Returns the version of glibc, or undefined on systems with another C library. */
  readonly glibc: () => string | undefined;
}

export const thisSystem = (): System => ({
  platform: process.platform,
  arch: process.arch,
  modules: process.versions.modules,
  node: process.versions.node,
  glibc: glibcHere,
});

/** The report is made without the network, as it would look up the names of addresses. */
function glibcHere(): string | undefined {
  Object.assign(process.report, { excludeNetwork: true }); // an option that its types lack
  const { header } = process.report.getReport() as { header: { glibcVersionRuntime?: string } };
  return header.glibcVersionRuntime;
}

/** The oldest glibc 2.x that the relinked copy loads with: it needs `arc4random`. */
const GLIBC_MINOR_MIN = 36;

/**
 * Says why no build loads, as one sentence of cause and one of advice. The reasons of the linker
 * are told only if nothing plainer is known.
 */
export function refusalOf(system: System, reasons: readonly string[]): string {
  const { platform, arch, node, modules } = system;
  const targets = [...Object.keys(NEWER.sha256), ...Object.keys(OLDER.sha256)];
  if (!targets.some((target) => target.startsWith(`${platform}_${arch}_`))) {
    return (
      `there is no build of the socket library for ${platform} on ${arch}. ` +
      'confab runs on Linux with x64 or arm64.'
    );
  }
  const isListed = targets.includes(`${platform}_${arch}_${modules}`);
  if (!isListed) {
    return (
      `there is no build of the socket library for Node ${node}. ` +
      'Use Node 20, 22 or 24, or install the official release of uWebSockets.js (docs/operating.md).'
    );
  }
  const glibc = platform === 'linux' ? system.glibc() : `2.${GLIBC_MINOR_MIN}`;
  if (glibc === undefined) {
    return (
      'the socket library needs the GNU C library, and this system has another one. ' +
      'Use a system such as Debian or Ubuntu, and not Alpine.'
    );
  }
  const isOldNode = Object.hasOwn(OLDER.sha256, `${platform}_${arch}_${modules}`);
  if (!isOldNode && Number(glibc.split('.')[1]) < GLIBC_MINOR_MIN) {
    return (
      `with Node ${node} the socket library needs glibc 2.${GLIBC_MINOR_MIN}, and this system has ` +
      `${glibc}. Use Node 20 here, or a newer system such as Debian 12 or Ubuntu 24.04.`
    );
  }
  return ['no build of the socket library loads. Run `npm ci` again.', ...reasons].join('\n');
}
