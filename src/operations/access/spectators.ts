import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { ServerSettings } from '../../config.ts';
import type { NarrowTerm } from '../../domain/rules/messages/narrow.ts';
import { SPECTATOR_ID } from '../../domain/rules/people/spectators.ts';
import * as errors from '../../domain/wire/errors.ts';
import { Role } from '../../domain/wire/roles.ts';
import { byName } from './channel-access.ts';
import { type Reads, realmSetting } from './groups.ts';

/**
 * The user of requests without an account: a guest in no channel. If the realm shows itself
 * (reference/events-and-register.md 5.8), they read web-public channels.
 */
export const ANYBODY: UserRow = {
  id: SPECTATOR_ID,
  email: 'username@example.com',
  fullName: 'Anonymous User',
  role: Role.guest,
  isActive: true,
  botType: null,
  botOwnerId: null,
  dateJoined: 0,
  timezone: '',
  avatarVersion: 1,
  passwordHash: null,
  settings: {},
  isSystem: false,
  uploadedAvatar: null,
};

/**
 * Returns the spectator if the realm shows itself; else refuses the request for its missing
 * credentials.
 */
export function admit(tx: Reads, settings: ServerSettings): UserRow {
  const isActive = tx.realm.get(['realm'])?.isActive === true;
  if (!isActive || !showsItself(tx, settings)) throw errors.unauthorized();
  return {
    ...ANYBODY,
    settings: {
      default_language: realmSetting(tx, 'default_language'),
      web_home_view: 'recent_topics',
    },
  };
}

/** Tests whether the realm and the server allow it, and there is a web-public channel. */
export function showsItself(tx: Reads, { isWebPublic: isAllowed }: ServerSettings): boolean {
  if (!isAllowed || !realmSetting(tx, 'enable_spectator_access')) return false;
  for (const [, { isWebPublic, isArchived }] of tx.channels.range({})) {
    if (isWebPublic && !isArchived) return true;
  }
  return false;
}

/**
 * Refuses a narrow without `channels:web-public` or the like. Otherwise a client that lost its
 * credentials would see an empty realm, and not that it has to log in.
 */
export function refuseUnlessWebPublic(tx: Reads, narrow: readonly NarrowTerm[]) {
  const saysSo = narrow.some((term) => !term.negated && isWebPublic(tx, term));
  if (!saysSo || !narrow.every(({ operator }) => OPERATORS.has(operator))) {
    throw errors.unauthorized();
  }
}

function isWebPublic(tx: Reads, term: NarrowTerm): boolean {
  if (term.operator === 'channels') return term.operand === 'web-public';
  if (term.operator !== 'channel') return false;
  const { operand } = term;
  const channel = typeof operand === 'number' ? tx.channels.get([operand]) : byName(tx, operand);
  return channel?.isWebPublic === true;
}

/** Operators that concern neither the caller nor conversations. */
const OPERATORS: ReadonlySet<NarrowTerm['operator']> = new Set([
  'channel',
  'channels',
  'topic',
  'sender',
  'has',
  'search',
  'near',
  'id',
  'with',
]);
