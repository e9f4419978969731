import { expect, test } from 'vitest';
import { markdownOfHtml } from '../../src/workers/incoming/mail-text.ts';
import { ownText } from '../../src/workers/incoming/own-text.ts';

const QUOTED = '> are you there?\n> Max\n';

test.each([
  [
    'Gmail, English',
    `On Fri, Nov 27, 2026 at 11:50 AM Max Member <max@x.example> wrote:\n${QUOTED}`,
  ],
  [
    'Gmail, folded',
    `On Fri, Nov 27, 2026 at 11:50 AM Max Member <\nmax@x.example> wrote:\n\n${QUOTED}`,
  ],
  [
    'Gmail, German',
    `Am Fr., 27. Nov. 2026 um 11:50 Uhr schrieb Max Member <max@x.example>:\n${QUOTED}`,
  ],
  [
    'Gmail, French',
    `Le ven. 27 nov. 2026 à 11:50, Max Member <max@x.example> a écrit :\n${QUOTED}`,
  ],
  [
    'Gmail, Spanish',
    `El vie, 27 nov 2026 a las 11:50, Max Member (<max@x.example>) escribió:\n${QUOTED}`,
  ],
  [
    'Gmail, Portuguese',
    `Em sex., 27 de nov. de 2026 às 11:50, Max <max@x.example> escreveu:\n${QUOTED}`,
  ],
  [
    'Gmail, Italian',
    `Il giorno ven 27 nov 2026 alle ore 11:50 Max <max@x.example> ha scritto:\n${QUOTED}`,
  ],
  ['Gmail, Dutch', `Op vr 27 nov 2026 om 11:50 schreef Max <max@x.example>:\n${QUOTED}`],
  ['Gmail, Polish', `pt., 27 lis 2026 o 11:50 Max <max@x.example> napisał(a):\n${QUOTED}`],
  ['Gmail, Russian', `пт, 27 нояб. 2026 г. в 11:50, Max <max@x.example>:\n${QUOTED}`],
  ['Gmail, Japanese', `2026年11月27日(金) 11:50 Max <max@x.example>:\n${QUOTED}`],
  ['Apple Mail', `> On 27. Nov 2026, at 11:50, Max <max@x.example> wrote:\n> \n${QUOTED}`],
  ['Apple Mail, German', `> Am 27.11.2026 um 11:50 schrieb Max <max@x.example>:\n> \n${QUOTED}`],
  ['Thunderbird', `On 11/27/26 11:50, Max Member wrote:\n${QUOTED}`],
  ['Thunderbird, Swedish', `Den 2026-11-27 kl. 11:50, skrev Max:\n${QUOTED}`],
  [
    'Outlook',
    `________________________________\nFrom: Max <max@x.example>\nSent: Friday\nTo: Mel\nSubject: x\n\nare you there?\n`,
  ],
  [
    'Outlook, German',
    `Von: Max <max@x.example>\nGesendet: Freitag, 27. November 2026 11:50\nAn: Mel\nBetreff: x\n\nbist du da?\n`,
  ],
  [
    'Outlook, French',
    `De : Max <max@x.example>\nEnvoyé : vendredi 27 novembre 2026\nÀ : Mel\nObjet : x\n\nes-tu là ?\n`,
  ],
  [
    'Outlook, older',
    `-----Original Message-----\nFrom: Max\nSent: Friday\nTo: Mel\nSubject: x\n\nare you there?\n`,
  ],
  [
    'Outlook for phones',
    `Get Outlook for iOS<https://aka.ms/o0ukef>\n________________________________\nFrom: Max\nSent: Friday\nTo: Mel\n\nare you there?\n`,
  ],
  ['a signature', '-- \nMel\nPhone 1\n'],
  ['a phone', 'Sent from my iPhone\n\n> On 27. Nov 2026, at 11:50, Max wrote:\n> x\n'],
])('the text before the quote is kept: %s', (_, rest) => {
  expect(ownText(`Yes!\n\nSee you.\n\n${rest}`)).toBe('Yes!\n\nSee you.');
});

test.each([
  ['answers between quotes', '> one?\n\nYes.\n\n> two?\n\nNo.'],
  ['a line that looks like a beginning', 'On Monday Max wrote:\n\nI am ill. So I do it.'],
  ['a line From:', 'From: here to there\nit is far.'],
  ['a line that ends with a colon', 'Max wrote:\nthe end'],
  ['an answer below the quote', 'On 11/27/26 11:50, Max wrote:\n> one?\n\nYes.'],
  ['a mail that is passed on', 'From: Max\nSent: Friday\nTo: Mel\n\nlook at this'],
])('nothing of the author is cut: %s', (_, text) => {
  expect(ownText(text)).toBe(text);
});

test.each([
  [
    'hidden text',
    '<p>a</p><div style="display: none">b</div><p hidden>c</p><span style="font-size:0px">d</span><p>e</p>',
    'a\n\ne',
  ],
  ['scripts', '<p>a<script>b()</script><style>c{}</style><svg><script>d</script></svg></p>', 'a'],
  ['words after a block', '<p>a b</p><p>c d</p><ul><li>e f</li></ul>', 'a b\n\nc d\n\n- e f'],
  ['a mail that is passed on', '<div id="divRplyFwdMsg">From: x</div><div>b</div>', 'From: x\n\nb'],
  ['an entity', '<p>a &amp; b &lt;c&gt; &nbsp;d</p>', 'a & b <c> d'],
  ['a void element', '<p>a<br>b<img src="cid:x" alt="c"><hr>d</p>', 'a\nbc\n\nd'],
  ['a quote with void elements', '<div>a</div><blockquote>b<br>c<img src=x>d</blockquote>', 'a'],
  [
    'Gmail',
    '<div>a</div><div class="gmail_quote gmail_quote_container"><div>On x wrote:<br></div></div>',
    'a',
  ],
  [
    'Outlook',
    '<p>a</p><div id="appendonsend"></div><hr><div id="divRplyFwdMsg">From: x</div><div>b</div>',
    'a',
  ],
  [
    'Outlook for Windows',
    '<p>a</p><div style="border:none;border-top:solid #E1E1E1 1.0pt;padding:3.0pt 0cm 0cm 0cm"><p><b>From:</b> x</p></div><p>b</p>',
    'a',
  ],
  [
    'Thunderbird',
    '<p>a</p><div class="moz-cite-prefix">On x wrote:</div><blockquote type="cite">b</blockquote>',
    'a',
  ],
  ['Yahoo', '<div>a</div><div class="yahoo_quoted">b</div>', 'a'],
  ['a link that runs code', '<a href="javascript:x()">a</a>', 'a'],
  ['tags that never end', 'b<blockquote>a', 'b'],
])('HTML becomes Markdown: %s', (_, html, text) => {
  expect(markdownOfHtml(html)).toBe(text);
});

test('text and HTML of any shape are read in one pass', () => {
  const size = 10_000;
  // Each would take minutes if its reading grew with the square.
  for (const text of [
    'On a wrote:\n'.repeat(size),
    'On '.repeat(size),
    '>'.repeat(size),
    `${'_'.repeat(size)}\n`.repeat(2),
  ]) {
    expect(ownText(text).length).toBeLessThanOrEqual(text.length);
  }
  for (const html of ['<b>', '<div>', '<a href="x">', '<blockquote>', '<br>', '<p>a '].map((tag) =>
    tag.repeat(size),
  )) {
    expect(markdownOfHtml(html).length).toBeLessThanOrEqual(html.length * 3);
  }
});
