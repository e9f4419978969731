import type { MarkdownIt, RendererRule } from 'markdown-it';
import { renderCode } from './blocks/code.ts';
import { quoteFence, spoilerFence } from './blocks/fences.ts';
import { list } from './blocks/lists.ts';
import { math } from './blocks/math.ts';
import { boundedTable } from './blocks/tables.ts';
import { channelLink } from './channel-links.ts';
import { emojiName } from './emoji/names.ts';
import { putStrongOutside } from './emphasis.ts';
import {
  type BlockRule,
  blockRuleOf,
  createLibraryParser,
  inlineRuleOf,
  startOf,
} from './library.ts';
import { link } from './links.ts';
import { mention } from './mentions.ts';
import { addPreviews } from './previews.ts';
import { expandTexts } from './texts.ts';
import { time } from './times.ts';
import { restrictUrls, url } from './urls.ts';

/**
 * Levels of quotes and spoilers (one each) and lists (two each); deeper levels are shown as text.
 * Each level reads its lines again, so this is also the factor that nesting can cost.
 */
const BLOCK_LEVELS_MAX = 20;

export function createParser(): MarkdownIt {
  const md = createLibraryParser();
  // This is above BLOCK_LEVELS_MAX, so that it never drops a block; links do not nest, so inline
  // text stays below it.
  md.set({ maxNesting: BLOCK_LEVELS_MAX + 4 });
  md.disable(['html_block', 'html_inline', 'lheading', 'reference', 'image', 'strip_references']);
  replaceBlockRules(md);
  replaceInlineRules(md);
  restrictUrls(md);
  md.core.ruler.push('expand_texts', expandTexts);
  md.core.ruler.push('previews', addPreviews);
  Object.assign(md.renderer.rules, {
    finished_html: (tokens, index) => tokens[index]?.content ?? '',
    preview: renderPreview,
    s_open: () => '<del>',
    s_close: () => '</del>',
    fence: renderCode,
    code_block: renderCode,
    spoiler_open: () => '<div class="spoiler-block"><div class="spoiler-header">\n',
    spoiler_content: () => '</div><div class="spoiler-content" aria-hidden="true">\n',
    spoiler_close: () => '</div></div>\n',
  } satisfies Record<string, RendererRule>);
  return md;
}

/** Renders a block like others: on lines of its own, also behind the text of an item of a list. */
const renderPreview: RendererRule = (tokens, index) =>
  `${tokens[index - 1]?.hidden ? '\n' : ''}${tokens[index]?.content ?? ''}\n`;

function replaceBlockRules(md: MarkdownIt): void {
  const rules = md.block.ruler;
  const paragraph = blockRuleOf('paragraph');
  const heading = blockRuleOf('heading');
  const endsParagraphs = { alt: ['paragraph'] };
  const endsMost = { alt: ['paragraph', 'blockquote'] };
  const endsAll = { alt: ['paragraph', 'blockquote', 'list'] };

  rules.at('table', boundedTable, endsParagraphs);
  rules.at('list', list, endsMost);
  // A heading without text would swallow what the author typed: `#`.
  rules.at('heading', (...args) => startsWith(HEADING, args) && heading(...args), endsMost);
  rules.before('fence', 'quote_fence', quoteFence, endsAll);
  rules.before('fence', 'spoiler_fence', spoilerFence, endsAll);
  rules.before('table', 'too_deep', (state, start, end, silent) => {
    return !silent && state.level >= BLOCK_LEVELS_MAX && paragraph(state, start, end, silent);
  });
}

function replaceInlineRules(md: MarkdownIt): void {
  const rules = md.inline.ruler;
  const emphasis = inlineRuleOf('emphasis');
  const autolink = inlineRuleOf('autolink');

  rules.at('link', link);
  rules.at('linkify', url);
  rules.at('autolink', (state, silent) => state.linkLevel === 0 && autolink(state, silent));
  rules.at('emphasis', (state, silent) => {
    return state.src[state.pos] === '*' && emphasis(state, silent);
  });
  rules.before('emphasis', 'mention', mention);
  rules.before('emphasis', 'channel_link', channelLink);
  rules.before('emphasis', 'math', math);
  rules.after('linkify', 'emoji_name', emojiName);
  rules.before('autolink', 'time', time);
  md.inline.ruler2.after('emphasis', 'strong_outside', putStrongOutside);
}

/** Matches a marker with text after it, at the position where the search begins. */
const HEADING = /#{1,6}[ \t]+[^ \t\n]/y;

function startsWith(pattern: RegExp, [state, line]: Parameters<BlockRule>): boolean {
  pattern.lastIndex = startOf(state, line);
  return pattern.test(state.src);
}
