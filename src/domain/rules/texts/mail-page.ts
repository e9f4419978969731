import { escapeHtml } from './html.ts';

/** A mail as HTML: all parts but the title and the name are HTML. */
interface MailPage {
  readonly title: string;
  /** The name of the organization. */
  readonly name: string;
  readonly content: string;
  readonly footer: string;
}

/**
 * Returns the document of a mail. It loads nothing, and mail programs that leave styles out show
 * its words in the same order. Programs that know dark colours get some (`color-scheme`).
 */
export const mailPage = ({ title, name, content, footer }: MailPage): string =>
  `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escapeHtml(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<div class="page">
<p class="name">${escapeHtml(name)}</p>
<div class="card">
${content}
</div>
<div class="foot">
${footer}
</div>
</div>
</body>
</html>
`;

/** Writes a time (UNIX seconds), whose reader may be in any time zone. */
export const mailTime = (seconds: number): string =>
  `${new Date(seconds * 1_000).toISOString().slice(0, 16).replace('T', ' ')} UTC`;

export const mailLink = (url: string, text = url, name = ''): string =>
  `<a${name === '' ? '' : ` class="${name}"`} href="${escapeHtml(url)}">${escapeHtml(text)}</a>`;

/**
 * Returns plain text as HTML: paragraphs are apart by an empty line. A URL of the organization that
 * stands alone in a line is a button as well; the labels say of which, by the beginnings of paths.
 */
export function textAsHtml(
  text: string,
  { url, labels }: { readonly url: string; readonly labels: Readonly<Record<string, string>> },
): string {
  const labelOf = (line: string) =>
    Object.entries(labels).find(([path]) => line.startsWith(`${url}${path}`))?.[1];
  const shown = (line: string) => {
    const label = labelOf(line);
    if (label === undefined || /\s/.test(line)) return withLinks(line);
    const button = mailLink(line, label, 'button');
    return `</p>\n<p>${button}</p>\n<p class="small">${mailLink(line)}`;
  };
  return text
    .split(/\n{2,}/)
    .map((paragraph) => `<p>${paragraph.split('\n').map(shown).join('<br>\n')}</p>`)
    .join('\n')
    .replaceAll('<br>\n</p>', '</p>');
}

/** Returns a line as HTML with its URLs as links; a full stop behind one is none of it. */
const withLinks = (line: string): string =>
  escapeHtml(line).replace(/https?:\/\/\S+/g, (found) => {
    const url = found.replace(/[.,)]{1,3}$/, '');
    return `<a href="${url}">${url}</a>${found.slice(url.length)}`;
  });

const FONT = '16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif';
const MONO = 'ui-monospace,SFMono-Regular,Menlo,Consolas,monospace';

/** The colours have a contrast of at least 4.5 to 1 (WCAG 2.2, 1.4.3), those of links too. */
const STYLE = `
:root{color-scheme:light dark}
body{margin:0;padding:20px 12px;background:#f2f3f5;color:#1f2328;font:${FONT}}
.page{max-width:600px;margin:0 auto}
.card{background:#fff;border:1px solid #d5d9df;border-radius:10px;padding:20px 22px;overflow-wrap:anywhere}
.card>:first-child{margin-top:0}
.card>:last-child{margin-bottom:0}
p{margin:12px 0}
h1{margin:0 0 16px;font-size:20px;line-height:1.3}
h2{margin:22px 0 8px;font-size:16px}
a{color:#3d52c4}
.name{margin:0 4px 10px;font-size:14px;font-weight:600;color:#4d5662}
.button{display:inline-block;padding:10px 18px;border-radius:8px;background:#3d52c4;color:#fff;font-weight:600;text-decoration:none}
.small,.foot,.at{font-size:13px;color:#4d5662}
.foot{padding:14px 4px 0;overflow-wrap:anywhere}
.foot p{margin:4px 0}
.by{margin:18px 0 2px}
.by .at{margin-left:6px}
.said{margin:0 0 14px}
.said p{margin:4px 0}
ul,ol{margin:8px 0;padding-left:24px}
li{margin:6px 0}
blockquote{margin:6px 0;padding:0 0 0 12px;border-left:3px solid #b9c0ca;color:#4d5662}
pre,code{font-family:${MONO};font-size:14px;background:#eff1f4;border-radius:5px}
code{padding:1px 4px}
pre{padding:10px 12px;white-space:pre-wrap}
pre code{padding:0}
table{border-collapse:collapse}
td,th{border:1px solid #b9c0ca;padding:4px 8px;text-align:left}
@media (prefers-color-scheme:dark){
body{background:#16181c;color:#e4e7ec}
.card{background:#212429;border-color:#3a3f47}
a{color:#9fb1ff}
.button{background:#9fb1ff;color:#12162b}
.name,.small,.foot,.at,blockquote{color:#aab2bd}
pre,code{background:#2d3138}
blockquote,td,th{border-color:#565d68}
}
`.replaceAll('\n', '');
