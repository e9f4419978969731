// Bounds of Markdown and linkifiers, each with its reason.

/** Characters of a linkifier's pattern and of its template: both are read for each message. */
export const LINKIFIER_PATTERN_LENGTH_MAX = 1_000;
export const LINKIFIER_TEMPLATE_LENGTH_MAX = 2_000;
/** Steps of a compiled pattern: each character of a message may take as many. */
export const LINKIFIER_PROGRAM_SIZE_MAX = 1_000;
/** Linkifiers of one realm: each is tried on each message. */
export const LINKIFIERS_PER_REALM_MAX = 100;
/**
 * Steps times characters that a message may cost: 0.2 s at worst, and a fraction of it for patterns
 * as people write them.
 */
export const LINKIFIER_WORK_MAX = 20_000_000;
/** Lists of linkifiers held compiled; a realm uses one at a time. */
export const LINKIFIER_SETS_CACHED_MAX = 100;
/** Topics whose links are cached for each list of linkifiers. */
export const TOPICS_LINKED_CACHED_MAX = 1_000;
/**
 * Characters by which the markup of one message may exceed its source: a mention, an emoji, a
 * formula takes up to 200 times what was typed. Elements that do not fit are shown as their source.
 */
export const EXPANDED_HTML_LENGTH_MAX = 200_000;
/** Formulas of a message, and characters of all of them. */
export const FORMULAS_MAX = 200;
export const MATH_LENGTH_MAX = 2_000;
/**
 * The budget for all formulas of a message, in units of about a microsecond (10 ms in all), and the
 * cost of each part: of a formula itself; of a token that is read, also of those that its commands
 * stand for; of a sign; of a group; and of a structure that is built of others, such as a fraction,
 * a root or an index.
 */
export const FORMULA_WORK_MAX = 10_000;
export const FORMULA_WORK = { formula: 40, token: 1, sign: 3, group: 8, structure: 50 } as const;
/**
 * Characters of all highlighted code of a message, and of a line of such code: 0.9 s for a line as
 * long as a message.
 */
export const HIGHLIGHTED_LENGTH_MAX = 4_000;
export const HIGHLIGHTED_LINE_LENGTH_MAX = 400;
/**
 * The sum of the squared lengths of all pieces of code without brackets, quotes and commas: most
 * grammars take quadratic time on such a piece. Code as people write it has a fiftieth; 16,000,000
 * take 30 ms.
 */
export const HIGHLIGHTED_WORK_MAX = 4_000_000;
/** Characters of the name of a language after a fence; those in use have fewer than 30. */
export const CODE_LANGUAGE_LENGTH_MAX = 40;
