import * as onboarding from '../../operations/personal/onboarding.ts';
import { endpoint } from '../endpoint.ts';
import { word } from '../params.ts';
import { people } from '../permissions.ts';

export const markOnboardingStep = endpoint({
  summary: 'Mark a hint for newcomers as seen',
  method: 'POST',
  path: '/users/me/onboarding_steps',
  allow: people,
  params: { onboarding_step: word.describe('A name of `onboarding_steps`') },
  refuses: ['REQUEST_VARIABLE_MISSING', 'BAD_REQUEST'],
  emits: ['onboarding_steps'],
  change: (tx, { user, params }) => onboarding.markSeen(tx, user, params.onboarding_step),
});
