import { createRequire } from 'node:module';
import type { HLJSApi, LanguageFn } from 'highlight.js';
import { HIGHLIGHTED_LINE_LENGTH_MAX, HIGHLIGHTED_WORK_MAX } from '../../domain/limits/markdown.ts';
import { hasRoomFor, type Rendering } from '../rendering.ts';
import type { Language } from './languages.ts';

/** Returns code with a span around each word that has a colour; null if it cannot be coloured. */
export function highlighted(
  rendering: Rendering,
  code: string,
  { grammar }: Language,
): string | null {
  if (grammar === null || code.length > rendering.highlightedLengthLeft) return null;
  if (LONG_LINE.test(code) || workOf(code) > HIGHLIGHTED_WORK_MAX) return null;
  rendering.highlightedLengthLeft -= code.length;
  const html = flattened(highlighter(grammar).highlight(code, { language: grammar }).value);
  return hasRoomFor(rendering, html) ? html : null;
}

/** A match of the grammars begins anywhere in such a run, and ends with it. */
const RUN = /[^(){}[\];,=<>"']+/g;

function workOf(code: string): number {
  let work = 0;
  for (const [run] of code.matchAll(RUN)) work += run.length * run.length;
  return work;
}

const LONG_LINE = new RegExp(`[^\\n]{${HIGHLIGHTED_LINE_LENGTH_MAX + 1}}`);

/**
 * The class of each kind of word, in the letters that style sheets of this format know
 * (docs/decisions/0032). It is found by both parts of the library's own name, else by the first
 * one.
 */
const CLASSES: Readonly<Record<string, string>> = {
  addition: 'gi',
  attr: 'na',
  attribute: 'na',
  built_in: 'nb',
  bullet: 'l',
  'char.escape': 'se',
  code: 's',
  comment: 'c',
  deletion: 'gd',
  doctag: 'cs',
  emphasis: 'ge',
  formula: 's',
  keyword: 'k',
  link: 'nl',
  literal: 'kc',
  meta: 'cp',
  'meta.prompt': 'gp',
  name: 'nt',
  number: 'm',
  operator: 'o',
  params: 'n',
  property: 'py',
  punctuation: 'p',
  quote: 'gs',
  regexp: 'sr',
  section: 'gh',
  'selector-attr': 'na',
  'selector-class': 'nc',
  'selector-id': 'ni',
  'selector-pseudo': 'nd',
  'selector-tag': 'nt',
  string: 's',
  strong: 'gs',
  subst: 'si',
  symbol: 'ss',
  tag: 'nt',
  'template-tag': 'cp',
  'template-variable': 'nv',
  title: 'n',
  'title.class': 'nc',
  'title.function': 'nf',
  type: 'kt',
  variable: 'nv',
  'variable.constant': 'no',
  'variable.language': 'bp',
};

const SPAN = /<span class="([^"]*)">|<\/span>|[^<]+/g;

/** Clients only know spans beside each other: of nested ones the innermost gives the class. */
function flattened(nested: string): string {
  const open: string[] = [];
  let html = '';
  for (const [piece, words] of nested.matchAll(SPAN)) {
    if (words !== undefined) open.push(classOf(words) || (open.at(-1) ?? ''));
    else if (piece === '</span>') open.pop();
    else html += open.at(-1) ? `<span class="${open.at(-1)}">${piece}</span>` : piece;
  }
  return html;
}

/** `hljs-title function_` is the kind `title.function`. */
function classOf(words: string): string {
  const [kind = '', scope = ''] = words.replace('hljs-', '').split(' ');
  return CLASSES[`${kind}.${scope.replace(/(?<!_)_+$/, '')}`] ?? CLASSES[kind] ?? '';
}

/** Languages that contain pieces of others; those pieces are coloured, too. */
const HELD: Readonly<Record<string, readonly string[]>> = {
  asciidoc: ['xml'],
  coffeescript: ['javascript'],
  dart: ['markdown'],
  dockerfile: ['bash'],
  javascript: ['css', 'graphql', 'xml'],
  markdown: ['xml'],
  'python-repl': ['python'],
  qml: ['xml'],
  shell: ['bash'],
  typescript: ['css', 'graphql', 'xml'],
  xml: ['css', 'javascript'],
  yaml: ['ruby'],
};

const require = createRequire(import.meta.url);
const highlighters = new Map<string, HLJSApi>();

/**
 * Loads a highlighter with the first code in its language. Each language has its own, because the
 * library treats a piece of another language according to the languages that it was given.
 */
function highlighter(grammar: string): HLJSApi {
  const known = highlighters.get(grammar);
  if (known !== undefined) return known;
  const created = (require('highlight.js/lib/core') as HLJSApi).newInstance();
  for (const name of [grammar, ...(HELD[grammar] ?? [])]) {
    created.registerLanguage(name, require(`highlight.js/lib/languages/${name}`) as LanguageFn);
  }
  highlighters.set(grammar, created);
  return created;
}
