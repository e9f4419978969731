import { table } from '../table.ts';

/** The hints that a user has seen; what is left is derived, so that a new hint needs no row. */
export const onboardingSteps = table<[userId: number, name: string], object>(
  'onboarding_steps',
  [],
);
