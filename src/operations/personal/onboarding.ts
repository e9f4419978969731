import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import { cutTo } from '../../domain/rules/messages/topic.ts';
import { isOnboardingStep, ONBOARDING_STEPS } from '../../domain/rules/people/onboarding.ts';
import * as errors from '../../domain/wire/errors.ts';
import type { Reads } from '../access/groups.ts';

/** Returns the hints that a user has not seen; a bot gets none. */
export const remaining = (tx: Reads, { id, botType }: Pick<UserRow, 'id' | 'botType'>) =>
  ONBOARDING_STEPS.filter((name) => botType === null && !tx.onboardingSteps.has([id, name])).map(
    (name) => ({ type: 'one_time_notice' as const, name }),
  );

/** Notes that a hint was shown, so that no other device shows it. */
export function markSeen(tx: RealmTransaction, user: UserRow, name: string) {
  if (!isOnboardingStep(name)) {
    throw errors.badRequest(`Unknown onboarding_step: ${cutTo(name, SHOWN_LENGTH)}`);
  }
  if (tx.onboardingSteps.has([user.id, name])) return;
  tx.onboardingSteps.put([user.id, name], {});
  tx.emit({
    event: { type: 'onboarding_steps', onboarding_steps: remaining(tx, user) },
    audience: { users: [user.id] },
  });
}

/** Characters of an unknown name that its refusal repeats. */
const SHOWN_LENGTH = 100;
