import { setImmediate as turn } from 'node:timers/promises';
import type { Realm } from '../../../actors/realm/realm-handle.ts';
import type { UserRow } from '../../../storage/tables/people/users.ts';
import { CONSOLE_ROWS_MAX } from '../../domain/limits/operator.ts';
import { SYSTEM_USER_ID_MIN } from '../../domain/rules/people/system-bots.ts';
import { roleName } from '../../domain/wire/roles.ts';
import type { UsersView, UserView } from '../wire.ts';

/** Accounts that are read without a pause: some milliseconds. */
const USERS_PER_TURN = 1_000;

/** Finds accounts by a part of the name or of the address. */
export async function usersView(realm: Realm, wanted: string): Promise<UsersView> {
  const words = wanted.trim().toLowerCase();
  const users: UserView[] = [];
  let matching = 0;
  for (let start = 0; realm.isOpen(); ) {
    const some = someFrom(realm, start);
    for (const user of some.filter((one) => isMeant(one, words))) {
      matching += 1;
      if (users.length < CONSOLE_ROWS_MAX) users.push(described(user));
    }
    const last = some.at(-1);
    if (last === undefined || some.length < USERS_PER_TURN) break;
    start = last.id + 1;
    await turn();
  }
  return { users, matching };
}

const someFrom = ({ reader }: Realm, start: number): UserRow[] =>
  Array.from(
    reader.users.range({ start: [start], end: [SYSTEM_USER_ID_MIN], limit: USERS_PER_TURN }),
    ([, user]) => user,
  );

const isMeant = ({ email, fullName }: UserRow, words: string) =>
  email.toLowerCase().includes(words) || fullName.toLowerCase().includes(words);

const described = ({ id, email, fullName, role, botType, isActive }: UserRow): UserView => ({
  id,
  email,
  name: fullName,
  role: roleName(role),
  isBot: botType !== null,
  isActive,
});
