/**
 * Languages that a user may read in: those that existing clients are translated into. Texts of this
 * server are in English.
 */
const CODES = [
  'ar', 'be', 'bg', 'bn', 'bqi', 'ca', 'cs', 'cy', 'da', 'de', 'el', 'en', 'en-gb', 'eo', 'es', 'et',
  'eu', 'fa', 'fi', 'fr', 'gl', 'gu', 'he', 'hi', 'hr', 'hu', 'id', 'it', 'ja', 'kk', 'kn', 'ko', 'lt',
  'lv', 'ml', 'mn', 'nb', 'ne', 'nl', 'pl', 'pt', 'pt-br', 'pt-pt', 'ro', 'ru', 'si', 'sk', 'sl', 'sr',
  'sv', 'ta', 'te', 'tl', 'tr', 'uk', 'ur', 'uz', 'vi', 'zh-hans', 'zh-hant', 'zh-tw',
] as const; // biome-ignore format: a table

const KNOWN: ReadonlySet<string> = new Set(CODES);

export const isLanguage = (code: string): boolean => KNOWN.has(code);

/** Returns the name of a language in that language. */
export const languageName = (code: string): string =>
  new Intl.DisplayNames([code], { type: 'language', languageDisplay: 'standard' }).of(code) ?? code;
