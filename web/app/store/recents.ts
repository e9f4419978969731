/** As many as the palette shows, so that an empty field shows nothing else. */
export const RECENTS_MAX = 12;

/** Puts a place before those that were shown earlier. */
export const noted = (recents: readonly string[], key: string): readonly string[] =>
  [key, ...recents.filter((one) => one !== key)].slice(0, RECENTS_MAX);
