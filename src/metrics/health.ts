/** The answer of `/readyz` and `confab status`: should the server be sent requests? */
export interface Health {
  readonly isReady: boolean;
  readonly state: string;
  /** Why it is not ready, each in a sentence; empty if it is. */
  readonly reasons: readonly string[];
  readonly checks: {
    readonly realms: { readonly open: number; readonly closed: number; readonly unserved: number };
    /** How long the oldest commit has been under way; 0 if none is. */
    readonly oldestCommitMs: number;
    /** The free share of the disk; null if the disk is not watched. */
    readonly freeShare: number | null;
    readonly loopDelayP99Ms: number;
  };
}

export type HealthInput = Pick<Health, 'state'> &
  Health['checks'] & {
    /** Why this node of a cluster is not ready. */
    readonly ofNode?: readonly string[];
  };

const COMMIT_MS_MAX = 10_000;
const FREE_SHARE_MIN = 0.05;
const LOOP_DELAY_MS_MAX = 1_000;

/**
 * Judges a server. A realm that is not served is not counted: it stays so until an operator mends
 * it, and the other realms should be reached meanwhile.
 */
export function healthOf({ state, ofNode = [], ...checks }: HealthInput): Health {
  const { realms, oldestCommitMs, freeShare, loopDelayP99Ms } = checks;
  const reasons: string[] = [];
  if (state !== 'ready') reasons.push(`the server is ${state}`);
  if (realms.closed > 0) reasons.push(`${realms.closed} of the realms is closed`);
  if (oldestCommitMs > COMMIT_MS_MAX) {
    reasons.push(`a commit has been under way for ${Math.round(oldestCommitMs / 1_000)} s`);
  }
  if (freeShare !== null && freeShare < FREE_SHARE_MIN) {
    reasons.push(`only ${(freeShare * 100).toFixed(1)} % of the disk is free`);
  }
  if (loopDelayP99Ms >= LOOP_DELAY_MS_MAX) {
    reasons.push(`the event loop is late by ${Math.round(loopDelayP99Ms)} ms`);
  }
  reasons.push(...ofNode);
  return { isReady: reasons.length === 0, state, reasons, checks };
}
