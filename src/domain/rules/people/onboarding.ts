/**
 * Hints that clients show a new user once, by the names that existing clients know. A client skips
 * the hints that it does not know.
 */
export const ONBOARDING_STEPS = [
  'visibility_policy_banner',
  'intro_inbox_view_modal',
  'intro_recent_view_modal',
  'first_stream_created_banner',
  'jump_to_conversation_banner',
  'non_interleaved_view_messages_fading',
  'interleaved_view_messages_fading',
  'intro_resolve_topic',
  'navigation_tour_video',
] as const;

export type OnboardingStepName = (typeof ONBOARDING_STEPS)[number];

export const isOnboardingStep = (name: string): name is OnboardingStepName =>
  ONBOARDING_STEPS.some((known) => known === name);
