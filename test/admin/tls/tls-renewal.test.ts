import {
  copyFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type CertificateSummary, openTlsRenewal } from '../../../src/admin/tls/tls-renewal.ts';
import { FORMER, NEW, NEW_NAME, openLiveFolder } from '../../support/files/live-certificates.ts';
import { temporaryFolder } from '../../support/scratch.ts';

/** A renewal that looks often, and what it did. */
function watched(files: { readonly key: string; readonly cert: string }) {
  const renewed: string[] = [];
  const failed: string[] = [];
  const renewal = openTlsRenewal({
    files,
    use: () => Promise.resolve(),
    onRenewed: ({ subject }: CertificateSummary) => renewed.push(subject),
    onFailed: (error) => failed.push((error as Error).message),
    lookMs: 25,
  });
  onTestFinished(() => renewal.close());
  return { renewal, renewed, failed };
}

test('links that are exchanged, first one and then the other, are one new certificate', async () => {
  const { files, link } = openLiveFolder();
  const { renewed, failed } = watched(files);
  await passed(100);
  link('key', NEW.key);
  link('cert', NEW.cert);
  await expect.poll(() => renewed).toEqual([`CN=${NEW_NAME}`]);
  await passed(200);
  expect(renewed).toHaveLength(1);
  expect(failed).toEqual([]);
});

test('files that are written over count as well, and a folder whose link is exchanged', async () => {
  const folder = temporaryFolder();
  const versions = ['a', 'b'].map((name) => join(folder, name));
  for (const [index, pair] of [FORMER, NEW].entries()) {
    const version = versions[index] ?? expect.fail();
    mkdirSync(version);
    copyFileSync(pair.key, join(version, 'key'));
    copyFileSync(pair.cert, join(version, 'cert'));
  }
  const data = join(folder, '..data');
  symlinkSync(versions[0] ?? expect.fail(), data);
  const files = { key: join(data, 'key'), cert: join(data, 'cert') };
  const { renewed } = watched(files);
  await passed(100);
  symlinkSync(versions[1] ?? expect.fail(), `${data}.next`);
  renameSync(`${data}.next`, data);
  await expect.poll(() => renewed).toHaveLength(1);
  writeFileSync(files.key, readFileSync(FORMER.key));
  writeFileSync(files.cert, readFileSync(FORMER.cert));
  await expect.poll(() => renewed).toHaveLength(2);
  expect(renewed[0]).toBe(`CN=${NEW_NAME}`);
  expect(renewed[1]).not.toBe(renewed[0]);
});

test('a pair that does not belong together is told once, until a right one is there', async () => {
  const { files, link } = openLiveFolder();
  const { renewed, failed, renewal } = watched(files);
  await passed(100);
  link('key', NEW.key);
  await expect.poll(() => failed).toHaveLength(1);
  expect(failed[0]).toMatch(/do not belong together/);
  await passed(300);
  expect(failed).toHaveLength(1);
  // Somebody who asks is told again.
  await renewal.now();
  expect(failed).toHaveLength(2);
  link('cert', NEW.cert);
  await expect.poll(() => renewed).toEqual([`CN=${NEW_NAME}`]);
});

const passed = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
