import { hidden } from '../../audit/declaration.ts';
import { table } from '../../table.ts';

/** The app and the recovery codes of an account, and the wrong codes that were tried on it. */
export interface SecondStepRow {
  /** The sealed secret of the app (TOTP, RFC 6238); null without an app. */
  readonly app: string | null;
  /** The same of an app that no code was given of yet. */
  readonly pendingApp: string | null;
  /** The time step of the last right code: neither it nor an earlier one counts again. */
  readonly lastStep: number;
  /** SHA-256 (hex) of each recovery code that is left. */
  readonly recoveryHashes: readonly string[];
  /** Wrong codes since the last right one. */
  readonly failures: number;
  /** UNIX milliseconds; 0 without any. */
  readonly failedAt: number;
  /** Wrong codes since `yearFrom` (UNIX milliseconds); a right code does not forget them. */
  readonly yearFailures: number;
  readonly yearFrom: number;
  /** True once there were too many wrong codes: the password lets nobody in until it is reset. */
  readonly isLocked: boolean;
}

export const secondSteps = table<[userId: number], SecondStepRow>(
  'second_steps',
  [
    'app',
    'pendingApp',
    'lastStep',
    'recoveryHashes',
    'failures',
    'failedAt',
    'yearFailures',
    'yearFrom',
    'isLocked',
  ],
  {
    audited: [
      {
        kind: 'second_step',
        target: ([userId]) => userId,
        values: (row) => ({
          app: hidden(row.app),
          recovery_codes: hidden(String(row.recoveryHashes) || null),
          is_locked: row.isLocked,
        }),
      },
    ],
  },
);

export interface PasskeyRow {
  readonly name: string;
  /** The public key (COSE, RFC 9052) in base64url. */
  readonly publicKey: string;
  /** The signature counter (WebAuthn 6.1.1); 0 forever for passkeys that several devices share. */
  readonly counter: number;
  readonly transports: readonly string[];
  /** UNIX seconds. */
  readonly addedAt: number;
}

/** Passkeys by the base64url of their credential id. */
export const passkeys = table<[userId: number, credentialId: string], PasskeyRow>(
  'passkeys',
  ['name', 'publicKey', 'counter', 'transports', 'addedAt'],
  {
    audited: [
      {
        kind: 'passkey',
        target: ([userId, id]) => `${userId}/${id.slice(0, 16)}`,
        values: ({ name }, [userId]) => ({ user_id: userId, name }),
      },
    ],
  },
);

/**
 * The last log-in by each passkey, apart from the passkey itself, because it does not change who
 * may log in.
 */
export const passkeyUses = table<
  [userId: number, credentialId: string],
  { /** UNIX seconds. */ readonly usedAt: number }
>('passkey_uses', ['usedAt']);

/** Challenges and tokens that came, until they expire (UNIX milliseconds): each counts once. */
export const usedChallenges = table<[expiresAt: number, hash: string], Record<never, never>>(
  'used_challenges',
  [],
);
