/**
 * The official release of the socket library. It is not in the registry of npm: an operator may
 * install it from its repository (docs/operating.md), and nothing is pinned of it here.
 */
export const OFFICIAL_PACKAGE = 'uWebSockets.js';

/** A file of the compiled library, as it is to be in a package that this project depends on. */
export interface Build {
  readonly package: string;
  /** The path within the package. */
  readonly file: string;
  readonly sha256: string;
}

/** A system that a build is made for: `process` has all three, the last as `versions.modules`. */
export interface Target {
  readonly platform: string;
  readonly arch: string;
  /** The version of Node's binary interface: 115 is Node 20, 127 is 22, 137 is 24, 141 is 25. */
  readonly modules: string;
}

/**
 * A package in which a third party publishes the library again, with its builds by target
 * (decision 0176). The hashes are those of the files that were tested: another file is not loaded.
 */
interface Republished {
  readonly package: string;
  readonly folder: string;
  readonly sha256: Readonly<Record<string, string>>;
}

/** For Node 20, 22, 24 and 25, and glibc from 2.38 on; relinked, from 2.36 on. */
export const NEWER: Republished = {
  package: '@btc-vision/uwebsockets.js',
  folder: '',
  sha256: {
    linux_x64_115: '5b126ee00bf754b02e97e4c27090365a8562c5820c93f93918ac2212d4503e91',
    linux_x64_127: '4b55b1f2cb7a7913febbb65a89496412b96af77e838552980092ba6b33723aac',
    linux_x64_137: '98128405dba2fb608448e921a979530f70c946a2cc9889c15f2fa70c2d00ab05',
    linux_x64_141: '813d788b347c6fd76b779d8932311ec05a044e612b4b83af220f16e6ea789683',
    linux_arm64_115: '6bdbc8ff976b4371af1906175e9025804bacc38a414969f4f02314e6b99f206c',
    linux_arm64_127: '82b79bd18d1e3563de336156005bd01b7f39fc387b65173d69a29da4ee79f895',
    linux_arm64_137: '88618b30ddf6b2b62310db89f40a701616676352aac5e0f6184dd8ef876199ce',
    linux_arm64_141: '81d0186dd1549ed6a7f47e68e323573fc27d69d2920527654ce2dd993af2b0ec',
    darwin_x64_115: 'f661b97951ffdf54324e514becda0a2740f723c9fd3c7098e812a0e7714651ed',
    darwin_x64_127: 'fd551673f3ce1f104d7cec3ba8f628d9d04853eff1045c9d95983372ed90bca0',
    darwin_x64_137: '98fd7e9456e2d37d3262b05b053d673830927f91c63c0c2ae73bde8d19eef293',
    darwin_x64_141: 'e64e8a42347b5f9861b0f2bfa0981d8e48914e9b26ec73e133ba454d9a580777',
    darwin_arm64_115: 'e92644395ac8d37cb078098f843fb1b82e59701832f38fed00a9bdcfb87ba939',
    darwin_arm64_127: '6180345d453e2e113feb2b0d76376493cd6a90056c3483fc22de7b0c340dc231',
    darwin_arm64_137: '2187391c702fa7ad3bf685eff7712c15cf24fa7cf324a131dfcbae3fd0f20a9a',
    darwin_arm64_141: '8555586f69116620ac17540b2a7a2459c5db1cebee5c36fd77157dd352fabf82',
  },
};

/** For Node 20, and any glibc from 2.27 on. */
export const OLDER: Republished = {
  package: '@trufflesuite/uws-js-unofficial',
  folder: 'binaries/',
  sha256: {
    linux_x64_115: 'f158fb441f7e2e37b3ab9a56782fe37f4c0d33b5cd32e96ee5c0120ce7db7ced',
    linux_arm64_115: 'fa46518766a985c6a79daef039f40cccd8e98e9a288f2ceaf31a0a18901bbfd5',
    darwin_x64_115: 'cdb95fb0b602155506b5430791c0dce4341ec1268ff23bdace8f1c77e306e4f7',
    darwin_arm64_115: '2a3aff854929518a3bc066527340ab0fc47c970cda4cdbb86f5d65b03ee83885',
  },
};

/** Names a file as all packages of the library do. */
export const fileNameFor = ({ platform, arch, modules }: Target): string =>
  `uws_${platform}_${arch}_${modules}.node`;

/** Returns the file that a package has for a target, if any. */
export function buildOf(republished: Republished, target: Target): Build | undefined {
  const { platform, arch, modules } = target;
  const sha256 = republished.sha256[`${platform}_${arch}_${modules}`];
  if (sha256 === undefined) return undefined;
  const file = `${republished.folder}${fileNameFor(target)}`;
  return { package: republished.package, file, sha256 };
}

/**
 * Lists the files that may be loaded on a target; of both packages, nothing else is needed to run.
 */
export const buildsFor = (target: Target): readonly Build[] =>
  [NEWER, OLDER].flatMap((republished) => buildOf(republished, target) ?? []);
