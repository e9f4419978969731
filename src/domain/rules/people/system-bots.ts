import { Role } from '../../wire/roles.ts';

/**
 * The service's own accounts have the same ids in every realm, above those of all others (which are
 * numbered from 1) and within 31 bits.
 */
export const SYSTEM_USER_ID_MIN = 2_000_000_000;

/** The service's own account in every realm, which sends the notices of the service. */
export const NOTIFICATION_BOT = {
  id: SYSTEM_USER_ID_MIN + 1,
  /** The local part of its address; the host is the realm's. */
  email: 'notification-bot',
  fullName: 'Notification Bot',
  role: Role.member,
  isActive: true,
  botType: 1,
  botOwnerId: null,
  timezone: '',
  avatarVersion: 1,
  passwordHash: null,
  settings: {},
  isSystem: true,
  uploadedAvatar: null,
} as const;
