import { ascending, isIn } from '../../ascending.ts';

/** Flags of an event about a message: the same for all users but the few listed. */
export interface EventFlags {
  readonly shared: readonly string[];
  /** No user is in two of them. */
  readonly own: readonly OwnFlags[];
}

/** The users who have the same flags, different from the shared ones. */
export interface OwnFlags {
  readonly flags: readonly string[];
  /** Ascending. */
  readonly userIds: readonly number[];
}

/** Returns the flags of one user if they differ from the shared ones, else null. */
export function ownFlagsOf({ own }: EventFlags, userId: number): readonly string[] | null {
  for (const { flags, userIds } of own) if (isIn(userIds, userId)) return flags;
  return null;
}

/** Groups users by their flags. */
export function alike(
  flagsByUser: Iterable<readonly [userId: number, flags: readonly string[]]>,
): OwnFlags[] {
  const together = new Map<string, { flags: readonly string[]; userIds: number[] }>();
  for (const [userId, flags] of flagsByUser) {
    const name = flags.join();
    const known = together.get(name);
    if (known === undefined) together.set(name, { flags, userIds: [userId] });
    else known.userIds.push(userId);
  }
  for (const { userIds } of together.values()) userIds.sort(ascending);
  return [...together.values()];
}
