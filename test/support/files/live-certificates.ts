import { renameSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { temporaryFolder } from '../scratch.ts';

const FIXTURES = resolve(import.meta.dirname, '../../fixtures');
export const FORMER = {
  key: join(FIXTURES, 'test-only-key.pem'),
  cert: join(FIXTURES, 'test-only-cert.pem'),
};
export const NEW = {
  key: join(FIXTURES, 'test-only-other-key.pem'),
  cert: join(FIXTURES, 'test-only-other-cert.pem'),
};
export const NEW_NAME = 'other.localhost';

/** Makes a folder as certbot keeps one: its files are links, which are exchanged. */
export function openLiveFolder() {
  const live = temporaryFolder();
  const files = { key: join(live, 'privkey.pem'), cert: join(live, 'fullchain.pem') };
  symlinkSync(FORMER.key, files.key);
  symlinkSync(FORMER.cert, files.cert);
  return {
    files,
    link(name: 'key' | 'cert', target: string) {
      const next = `${files[name]}.next`;
      symlinkSync(target, next);
      renameSync(next, files[name]);
    },
  };
}
