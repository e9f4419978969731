import type { legacyPresence, Made, presence } from '../../wire/objects.ts';

/** How often clients report (`server_presence_ping_interval_seconds`). */
export const PRESENCE_PING_SECONDS = 60;
/**
 * A user who has sent no report for longer than this is offline
 * (`server_presence_offline_threshold_seconds`).
 */
export const PRESENCE_OFFLINE_SECONDS = 200;
/**
 * Reports of several windows of one user within this time are stored as one: a little less than the
 * time between two reports of one window.
 */
export const PRESENCE_STORED_SECONDS = 55;
/**
 * A user who is active after a pause of this length has come back online, which others are told at
 * once (reference, 4.3).
 */
export const PRESENCE_ANNOUNCED_SECONDS = 130;
/** In larger organizations presence events are not sent: clients ask (reference, 4.3). */
export const PRESENCE_ANNOUNCED_ACCOUNTS_MAX = 100;
/**
 * Days of presence that a client gets unless it asks for more or less (specification, "Limits").
 */
export const PRESENCE_HISTORY_DAYS = 14;

/** The times of a user's last reports, in UNIX seconds. */
export interface Heard {
  /** When the user was at the device; null: never. */
  readonly activeAt: number | null;
  /** When some client of theirs was connected, be it idle. */
  readonly connectedAt: number;
}

/**
 * Returns the modern form. A user who was never at the device counts as active when the account was
 * made.
 */
export const modernPresence = (
  { activeAt, connectedAt }: Heard,
  { dateJoined }: { readonly dateJoined: number },
): Made<typeof presence> => ({
  active_timestamp: activeAt ?? dateJoined,
  idle_timestamp: connectedAt,
});

/** Returns the entry for the one client of the older form (specification, "Presence"). */
export function legacyPresenceOf(
  { activeAt, connectedAt }: Heard,
  { dateJoined }: { readonly dateJoined: number },
): Made<typeof legacyPresence> {
  const lastActive = activeAt ?? dateJoined;
  const isActive = lastActive + LEGACY_ACTIVE_SECONDS >= connectedAt;
  return {
    client: 'website',
    status: isActive ? 'active' : 'idle',
    timestamp: isActive ? lastActive : connectedAt,
    pushable: false,
  };
}

/** One interval between reports, and a little for the way (reference/endpoints.md 1.6). */
const LEGACY_ACTIVE_SECONDS = PRESENCE_PING_SECONDS + 10;
