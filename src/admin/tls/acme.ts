import { X509Certificate } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Client, crypto } from 'acme-client';
import { PLACEHOLDER_NAME, placeholderPair } from './placeholder.ts';

/** Files that only this user may read. */
const PRIVATE = 0o600;
const HOUR_MS = 60 * 60 * 1000;
/** How often the certificate is looked at, without the authority: a new realm brings a name. */
const LOOK_MS = 5 * 60 * 1000;
/** The first wait after a failure; authorities allow about five failures an hour for a name. */
const RETRY_MS = 15 * 60 * 1000;
const RETRY_MS_MAX = 24 * HOUR_MS;

interface AcmeFiles {
  readonly key: string;
  readonly cert: string;
}

interface AcmeInput {
  /** The pair in the data directory, which the port for TLS serves. */
  readonly files: AcmeFiles;
  readonly email: string;
  /** The URL of the authority's directory (RFC 8555, 7.1.1). */
  readonly directory: string;
  /** Returns the names that the certificate is for, as they are now. */
  readonly names: () => readonly string[];
  /** Called when the files hold a new pair. */
  readonly onObtained: () => Promise<void>;
  readonly onFailed: (error: unknown) => void;
}

export interface Acme {
  /** Returns the answer to a challenge that is under way. */
  challengeOf(token: string): string | undefined;
  /** Begins to look after the certificate; the port for challenges has to be open. */
  begin(): void;
  close(): void;
}

/** Writes a pair that is no good yet, if there is none: a port for TLS needs one. */
export async function ensurePair(files: AcmeFiles) {
  mkdirSync(dirname(files.key), { recursive: true, mode: 0o700 });
  if (!existsSync(files.key) || !existsSync(files.cert)) writePair(files, await placeholderPair());
}

/**
 * Gets certificates from an authority by HTTP-01 and renews them when a third of their time is left
 * or a name is missing in them. After a failure it waits longer each time.
 */
export function openAcme(input: AcmeInput): Acme {
  const challenges = new Map<string, string>();
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  let retryMs = RETRY_MS;

  async function look() {
    let waitMs = LOOK_MS;
    try {
      if (isDue(readFileSync(input.files.cert), input.names(), Date.now())) {
        const pair = await order(input, challenges);
        if (isClosed) return;
        writePair(input.files, pair);
        await input.onObtained();
      }
      retryMs = RETRY_MS;
    } catch (error) {
      if (isClosed) return;
      input.onFailed(error);
      waitMs = retryMs;
      retryMs = Math.min(2 * retryMs, RETRY_MS_MAX);
    }
    if (!isClosed) timer = setTimeout(() => void look(), waitMs).unref();
  }

  return {
    challengeOf: (token) => challenges.get(token),
    begin: () => void look(),
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}

/** Tests whether a certificate has to be renewed now. */
export function isDue(pem: Buffer | string, names: readonly string[], now: number): boolean {
  const certificate = new X509Certificate(pem);
  const from = Date.parse(certificate.validFrom);
  const to = Date.parse(certificate.validTo);
  if (certificate.subject.includes(PLACEHOLDER_NAME)) return true;
  return to - now < (to - from) / 3 || names.some((name) => !certificate.checkHost(name));
}

async function order(input: AcmeInput, challenges: Map<string, string>) {
  const names = input.names();
  const [commonName = ''] = names;
  if (commonName === '') throw new Error('no name is set that a certificate could be for');
  const accountKey = await accountKeyIn(join(dirname(input.files.key), 'account.pem'));
  const client = new Client({ directoryUrl: input.directory, accountKey });
  const key = await crypto.createPrivateEcdsaKey();
  const [, csr] = await crypto.createCsr({ commonName, altNames: [...names] }, key);
  const cert = await client.auto({
    csr,
    email: input.email,
    termsOfServiceAgreed: true,
    challengePriority: ['http-01'],
    // The server may not reach itself by its public name.
    skipChallengeVerification: true,
    challengeCreateFn(_authorization, challenge, answer) {
      challenges.set(challenge.token, answer);
      return Promise.resolve();
    },
    challengeRemoveFn(_authorization, challenge) {
      challenges.delete(challenge.token);
      return Promise.resolve();
    },
  });
  return { key: key.toString(), cert };
}

/** Returns the key of the account at the authority, which is made once. */
async function accountKeyIn(path: string): Promise<Buffer> {
  if (!existsSync(path)) writePrivately(path, (await crypto.createPrivateEcdsaKey()).toString());
  return readFileSync(path);
}

function writePair(files: AcmeFiles, pair: AcmeFiles) {
  writePrivately(files.key, pair.key);
  writePrivately(files.cert, pair.cert);
}

/** Writes a file as a whole or not at all. */
function writePrivately(path: string, text: string) {
  writeFileSync(`${path}.new`, text, { mode: PRIVATE });
  renameSync(`${path}.new`, path);
}
