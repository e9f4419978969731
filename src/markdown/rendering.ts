import type { Env } from 'markdown-it';
import {
  EXPANDED_HTML_LENGTH_MAX,
  FORMULA_WORK_MAX,
  FORMULAS_MAX,
  HIGHLIGHTED_LENGTH_MAX,
  MATH_LENGTH_MAX,
} from '../domain/limits/markdown.ts';
import { type LinkifierWork, newLinkifierWork } from '../domain/rules/texts/linkifiers.ts';
import type { MarkdownDirectory } from './directory.ts';

/** The state and the findings of one rendering; the rules reach it through the parser's `env`. */
export interface Rendering extends LinkifierWork {
  readonly directory: MarkdownDirectory;
  readonly mentionedUserIds: Set<number>;
  readonly mentionedGroupIds: Set<number>;
  hasChannelWildcard: boolean;
  hasTopicWildcard: boolean;
  tableCellsLeft: number;
  expandedLengthLeft: number;
  formulasLeft: number;
  mathLengthLeft: number;
  formulaWorkLeft: number;
  highlightedLengthLeft: number;
  /** Links whose pages may get previews, each once. */
  readonly pagesToUnfurl: string[];
  links: { readonly source: string; readonly byStart: ReadonlyMap<number, Link> };
}

/**
 * Cells of all tables of a message. A cell that is written takes two characters, so a message
 * cannot contain more; but a short row is filled up to the width of its table, and some thousand
 * rows of one character would make a page of megabytes.
 */
const TABLE_CELLS_MAX = 5_000;

/** The parts of `[label](target)`. */
export interface Link {
  readonly labelEnd: number;
  readonly end: number;
  readonly href: string;
  readonly title: string;
}

export const newRendering = (directory: MarkdownDirectory): Rendering => ({
  directory,
  mentionedUserIds: new Set(),
  mentionedGroupIds: new Set(),
  hasChannelWildcard: false,
  hasTopicWildcard: false,
  tableCellsLeft: TABLE_CELLS_MAX,
  expandedLengthLeft: EXPANDED_HTML_LENGTH_MAX,
  formulasLeft: FORMULAS_MAX,
  mathLengthLeft: MATH_LENGTH_MAX,
  formulaWorkLeft: FORMULA_WORK_MAX,
  highlightedLengthLeft: HIGHLIGHTED_LENGTH_MAX,
  pagesToUnfurl: [],
  ...newLinkifierWork(),
  links: { source: '', byStart: new Map() },
});

const RENDERING = Symbol('rendering');

export const envOf = (rendering: Rendering): Env => ({ [RENDERING]: rendering });

// `renderWithParser` is the only caller of the parser and always hands one over.
export const renderingOf = (env: Env): Rendering => env[RENDERING] as Rendering;

/**
 * Takes the length of expanded markup from the budget of the message. Returns false if it does not
 * fit: then the source is shown as text.
 */
export function hasRoomFor(rendering: Rendering, html: string): boolean {
  if (html.length > rendering.expandedLengthLeft) return false;
  rendering.expandedLengthLeft -= html.length;
  return true;
}
