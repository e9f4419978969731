import { Parser } from 'htmlparser2';

/** Lines that begin what mail programs quote below an answer. */
const QUOTE_BEGINS =
  /^(?:-{2,} ?(?:Original Message|Forwarded message|Ursprüngliche Nachricht) ?-{2,}|_{20,}|(?:On|Am|Le|El) .{1,200}(?:wrote|schrieb|écrit|escribió).{0,80}:)$/i;

/**
 * Returns what the author has written: no quoted mail at the end, and no signature (RFC 3676
 * section 4.3).
 */
export function ownText(text: string): string {
  const lines = text.replace(/\r\n?/g, '\n').split('\n');
  const kept: string[] = [];
  for (const [index, line] of lines.entries()) {
    if (line === '-- ') break;
    // The line may be folded before its end.
    const two = `${line} ${lines[index + 1] ?? ''}`.trim();
    const isBegin = [line.trim(), two].some((said) => said.length < 400 && QUOTE_BEGINS.test(said));
    if (isBegin && restIsQuoted(lines, index + 1)) break;
    kept.push(line);
  }
  while (kept.length > 0 && /^(?:>.*|\s*)$/.test(kept.at(-1) ?? '')) kept.pop();
  return kept.join('\n').trim();
}

/** Tests the few lines after the beginning: an answer between quotes is kept as it is. */
const restIsQuoted = (lines: readonly string[], from: number): boolean => {
  const rest = lines.slice(from, from + 5);
  return rest.some((line) => /^(?:>|(?:From|Von|De|Sent|Gesendet): )/.test(line));
};

const BLOCKS = new Set(['p', 'div', 'table', 'tr', 'ul', 'ol', 'h1', 'h2', 'h3', 'h4', 'section']);
const MARKS: Readonly<Record<string, string>> = {
  b: '**',
  strong: '**',
  i: '*',
  em: '*',
  code: '`',
};
const UNSEEN = new Set(['style', 'script', 'head', 'title', 'template']);
/** Elements within each other that are followed; deeper ones are text. */
const DEPTH_MAX = 200;

/** Returns the Markdown of a mail that has only HTML. Quotes of other mails are left out. */
export function markdownOfHtml(html: string): string {
  let text = '';
  let unseen = 0;
  let depth = 0;
  const hrefs: string[] = [];
  const block = () => {
    if (text !== '' && !text.endsWith('\n\n')) text += text.endsWith('\n') ? '\n' : '\n\n';
  };
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        depth += 1;
        const isQuote = name === 'blockquote' || /\bgmail_quote\b/.test(attributes['class'] ?? '');
        if (unseen > 0 || UNSEEN.has(name) || isQuote) unseen += 1;
        else if (depth > DEPTH_MAX) return;
        else if (name === 'br') text += '\n';
        else if (name === 'li') text += `${text.endsWith('\n') ? '' : '\n'}- `;
        else if (BLOCKS.has(name)) block();
        else if (name === 'a') {
          hrefs.push(attributes['href'] ?? '');
          text += '[';
        } else if (name === 'img') text += attributes['alt'] ?? '';
        else text += MARKS[name] ?? '';
      },
      ontext(part) {
        if (unseen === 0) text += part.replace(/\s+/g, text.endsWith('\n') ? '' : ' ');
      },
      onclosetag(name) {
        depth -= 1;
        if (unseen > 0) unseen -= 1;
        else if (depth >= DEPTH_MAX) return;
        else if (BLOCKS.has(name)) block();
        else if (name === 'a') {
          const href = hrefs.pop() ?? '';
          text += /^https?:\/\/[^\s()]+$/.test(href) ? `](${href})` : ']';
        } else text += MARKS[name] ?? '';
      },
    },
    { decodeEntities: true },
  );
  parser.end(html);
  return text.trim();
}
