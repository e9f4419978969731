/**
 * Values that an organization chooses from, by the numbers that clients know
 * (reference/events-and-register.md 5.2, 5.3).
 */

/** `giphy_rating_options`. */
export const GIPHY_RATING_OPTIONS = {
  disabled: { name: 'GIFs disabled', id: 0 },
  y: { name: 'Y (young)', id: 1 },
  g: { name: 'G (general audience)', id: 2 },
  pg: { name: 'PG (parental guidance)', id: 3 },
  'pg-13': { name: 'PG-13 (parental guidance under 13)', id: 4 },
  r: { name: 'R (restricted)', id: 5 },
} as const;

/** `realm_available_video_chat_providers`. */
export const VIDEO_CHAT_PROVIDERS = {
  disabled: { name: 'None', id: 0 },
  jitsi_meet: { name: 'Jitsi Meet', id: 1 },
} as const;

/** The types of organizations that clients have a name for; 0 is unspecified. */
export const ORGANIZATION_TYPES = [
  0, 10, 20, 30, 35, 40, 50, 60, 70, 80, 90, 100, 1000,
] as const; // biome-ignore format: a table

const ids = (choices: Readonly<Record<string, { readonly id: number }>>): readonly number[] =>
  Object.values(choices).map(({ id }) => id);

export const GIPHY_RATINGS = ids(GIPHY_RATING_OPTIONS);
export const VIDEO_CHAT_PROVIDER_IDS = ids(VIDEO_CHAT_PROVIDERS);
