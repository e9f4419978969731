import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { checkTlsPair } from './tls-pair.ts';

interface TlsFiles {
  readonly key: string;
  readonly cert: string;
}

/** A certificate as its log line describes it. */
export interface CertificateSummary {
  readonly subject: string;
  readonly validTo: string;
}

interface TlsRenewalInput {
  /** Null without TLS; then there is nothing to do. */
  readonly files: TlsFiles | null;
  /** Serves new connections with the pair that the files hold now. */
  readonly use: () => Promise<void>;
  readonly onRenewed: (certificate: CertificateSummary) => void;
  /** Called if the files hold no pair that can be used; the former one stays in use. */
  readonly onFailed: (error: unknown) => void;
  readonly lookMs?: number;
}

export interface TlsRenewal {
  /** Reads the files now, even if they are as before. */
  now(): Promise<void>;
  /** Returns when the certificate in use ends, in UNIX seconds; null without TLS. */
  expiresAt(): number | null;
  close(): void;
}

/**
 * How often the files are looked at. Notices of the kernel are not used: there are none for files
 * of another machine, nor where a link to a folder is exchanged, as certbot and Kubernetes do.
 */
const LOOK_MS = 2_000;

/**
 * Takes a certificate into use when its files have changed, and when it is told to. The files have
 * to be the same at two looks in a row: the key and the certificate are written one after the
 * other.
 */
export function openTlsRenewal(input: TlsRenewalInput): TlsRenewal {
  const { files, use, onRenewed, onFailed, lookMs = LOOK_MS } = input;
  if (files === null) return WITHOUT_TLS;
  let expiresAt = Date.parse(summaryOf(files).validTo) / 1000;
  let used = '';
  let seen = '';
  let failure = '';
  let looksToRetry = 0;
  let isBusy = false;
  let isClosed = false;
  let renewing: Promise<void> = Promise.resolve();

  async function renew(pair: TlsFiles) {
    if (isClosed) return;
    try {
      checkTlsPair(pair);
      const summary = summaryOf(pair);
      await use();
      failure = '';
      expiresAt = Date.parse(summary.validTo) / 1000;
      onRenewed(summary);
    } catch (error) {
      const { message } = error as Error;
      if (message !== failure) onFailed(error);
      failure = message;
      looksToRetry = RETRY_LOOKS;
    }
  }

  const inTurn = (pair: TlsFiles) => {
    renewing = renewing.then(() => renew(pair));
    return renewing;
  };

  async function look(pair: TlsFiles) {
    if (isBusy) return;
    isBusy = true;
    const now = await stateOf(pair);
    if (used === '') used = now;
    const isRetried = failure !== '' && looksToRetry-- <= 0;
    if (now === seen && (now !== used || isRetried)) {
      used = now;
      await inTurn(pair);
    }
    seen = now;
    isBusy = false;
  }

  void look(files);
  const timer = setInterval(() => void look(files), lookMs);
  timer.unref();
  return {
    async now() {
      failure = '';
      used = await stateOf(files);
      await inTurn(files);
    },
    expiresAt: () => expiresAt,
    close() {
      isClosed = true;
      clearInterval(timer);
    },
  };
}

const WITHOUT_TLS: TlsRenewal = {
  now: () => Promise.resolve(),
  expiresAt: () => null,
  close: () => undefined,
};

function summaryOf({ cert }: TlsFiles): CertificateSummary {
  const { subject, validTo } = new X509Certificate(readFileSync(cert));
  return { subject, validTo };
}

/** A pair that failed is tried again after so many looks: maybe no descriptor was left. */
const RETRY_LOOKS = 30;

/** Describes which files there are, and when they were written; links are followed. */
async function stateOf({ key, cert }: TlsFiles): Promise<string> {
  const states = await Promise.all([key, cert].map(stateOfFile));
  return states.join(' ');
}

async function stateOfFile(path: string): Promise<string> {
  try {
    const { dev, ino, size, mtimeNs } = await stat(path, { bigint: true });
    return `${dev}:${ino}:${size}:${mtimeNs}`;
  } catch {
    return 'missing';
  }
}
