import { Role } from '../../wire/roles.ts';
import { USER_SETTINGS, type UserSettings } from '../../wire/settings/user-settings.ts';
import { isLongerThan } from '../messages/topic.ts';
import { isSpectator } from './spectators.ts';
import { NOTIFICATION_BOT } from './system-bots.ts';

/** The values of `email_address_visibility`: the users who may see a real address. */
const EmailVisibility = { everyone: 1, members: 2, administrators: 3, nobody: 4, moderators: 5 };

interface WithEmail {
  readonly id: number;
  readonly email: string;
  readonly botType: number | null;
  readonly settings: Partial<UserSettings>;
  readonly isSystem: boolean;
}

const visibilityOf = (user: WithEmail) =>
  user.botType === null
    ? (user.settings.email_address_visibility ?? EmailVisibility.everyone)
    : EmailVisibility.everyone;

/** A user who is invisible reports no presence, and older clients show them as away. */
export const isPresenceEnabled = ({ settings }: Pick<WithEmail, 'settings'>): boolean =>
  settings.presence_enabled ?? USER_SETTINGS.presence_enabled.default;

export const isEmailPublic = (user: WithEmail) => visibilityOf(user) === EmailVisibility.everyone;

/** Returns the lowest role that sees the real address, as all higher ones do; 0 if none does. */
export const rolesThatSeeEmail = (user: WithEmail): number => SEEN_UP_TO[visibilityOf(user)] ?? 0;

const SEEN_UP_TO: Readonly<Record<number, number>> = {
  [EmailVisibility.everyone]: Role.guest,
  [EmailVisibility.members]: Role.member,
  [EmailVisibility.moderators]: Role.moderator,
  [EmailVisibility.administrators]: Role.administrator,
  [EmailVisibility.nobody]: 0,
};

/** Returns the address of a user in the API: the real one, or one that works only in the API. */
export function apiEmail(user: WithEmail, realmHost: string): string {
  if (user.isSystem) return `${user.email}@${realmHost}`;
  return isEmailPublic(user) ? user.email : dummyEmail(user.id, realmHost);
}

export const dummyEmail = (userId: number, realmHost: string) => `user${userId}@${realmHost}`;

/**
 * Returns the id of the user with this address, if the service made it up in this realm. Case is
 * ignored, as in all addresses.
 */
export function userIdOfMadeUpEmail(email: string, realmHost: string): number | undefined {
  const at = email.lastIndexOf('@');
  if (at < 0 || email.slice(at + 1).toLowerCase() !== realmHost.toLowerCase()) return undefined;
  const name = email.slice(0, at).toLowerCase();
  if (name === NOTIFICATION_BOT.email) return NOTIFICATION_BOT.id;
  const match = /^user(\d{1,15})$/.exec(name);
  return match === null ? undefined : Number(match[1]);
}

/** Decides whether this viewer may see the real address (specification, "User": delivery_email). */
export function canSeeEmail(
  viewer: { readonly id: number; readonly role: Role },
  user: WithEmail,
): boolean {
  if (viewer.id === user.id) return true;
  return !isSpectator(viewer) && viewer.role <= rolesThatSeeEmail(user);
}

/**
 * Tests whether the service makes this address up for a user. Such an address is never accepted as
 * a real one: its owner would get what is meant for another.
 */
export const isMadeUpEmail = (email: string, realmHost: string): boolean =>
  userIdOfMadeUpEmail(email, realmHost) !== undefined;

/** Returns the time in UNIX seconds at which an account becomes a full member. */
export const endOfWaiting = (dateJoined: number, waitingDays: number): number =>
  dateJoined + waitingDays * 86_400;

/**
 * Characters that a mention could not write, and invisible ones, with which a name passes for
 * another or turns the text around it. Joiners are allowed, since some languages are not written
 * without them.
 */
const FORBIDDEN_IN_NAMES =
  /[*`\\>"@\p{Cc}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}]|(?![\u200c\u200d])\p{Cf}/u;
const VISIBLE = /[\p{L}\p{N}\p{P}\p{S}]/u;

/** Returns why a full name is refused (reference/endpoints.md 2.2); undefined if it is accepted. */
export function faultOfFullName(name: string, { min, max }: { min: number; max: number }) {
  if (!isLongerThan(name, min - 1)) return 'Name too short!';
  if (isLongerThan(name, max)) return 'Name too long!';
  if (FORBIDDEN_IN_NAMES.test(name) || !VISIBLE.test(name)) return 'Invalid characters in name!';
  if (/\|\d+$/.test(name)) return 'Invalid format!';
  return undefined;
}

/**
 * Tests the least that an address must be: one `@`, something before it, a host after it, no
 * spaces, no invisible characters.
 */
export const looksLikeEmail = (text: string) =>
  /^[^\s@,;<>"]+@[^\s@,;<>"]+$/.test(text) && !/[\p{Cc}\p{Cf}\p{Cs}\p{Co}]/u.test(text);
