/** User roles, as on the wire (specification, "User"); a smaller number has more rights. */
export const Role = {
  owner: 100,
  administrator: 200,
  moderator: 300,
  member: 400,
  guest: 600,
} as const;

export type Role = (typeof Role)[keyof typeof Role];

export const roleName = (role: Role): RoleName =>
  (Object.entries(Role).find(([, number]) => number === role)?.[0] as RoleName | undefined) ??
  'member';

export type RoleName = keyof typeof Role;

export const isOwner = (role: Role) => role === Role.owner;
export const isAdministrator = (role: Role) => role <= Role.administrator;
export const isModerator = (role: Role) => role <= Role.moderator;
export const isGuest = (role: Role) => role === Role.guest;
