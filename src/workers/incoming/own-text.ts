/** A line is looked at up to here: what mail programs write is shorter. */
const LINE_MAX = 400;

/**
 * Returns what the author has written: no quoted mail at the end, no signature (RFC 3676 section
 * 4.3) and no line of a phone. A mail that only passes another one on is kept as it is, and so is
 * one that is known to do so.
 */
export function ownText(text: string, isWhole = false): string {
  if (isWhole) return text.replace(/\r\n?/g, '\n').trim();
  const lines = text.replace(/\r\n?/g, '\n').split('\n');
  const end = lines.findIndex((line, index) => line === '-- ' || beginsCopy(lines, index));
  const before = end === -1 ? lines : lines.slice(0, end);
  const kept = withoutEnd(before);
  return kept === '' && end !== -1 && lines[end] !== '-- ' ? text.trim() : kept;
}

const PASSES_ON =
  /(?:^|>)-{0,20} ?(?:Begin forwarded message|Forwarded [Mm]essage|Weitergeleitete Nachricht|Anfang der weitergeleiteten Nachricht|Message transféré|Début du message transféré|Mensaje reenviado|Mensagem encaminhada|Messaggio inoltrato|Doorgestuurd bericht|Vidarebefordrat meddelande|Пересылаемое сообщение) ?[-:]/m;

/** Tests for the line before a mail that is passed on, in plain text or HTML. */
export const passesOn = (text: string): boolean => PASSES_ON.test(text);

/** The names of the header From in the languages of mail programs, which copy headers so. */
const FROM =
  /^\*{0,2}(?:From|Von|De|Da|Van|Od|Från|Fra|Lähettäjä|От|Від|Kimden|差出人|发件人|寄件者|보낸 사람) ?\*{0,2} ?[:：]/i;
const HEADER = /^\*{0,2}[\p{L} ]{1,20}\*{0,2} ?[:：]/u;

/** Tests for a copied mail below an answer, as Outlook writes it: three headers in a row. */
const beginsCopy = (lines: readonly string[], at: number): boolean => {
  if (!FROM.test(lines[at] ?? '')) return false;
  const next = lines.slice(at + 1, at + 3);
  return next.length === 2 && next.every((line) => HEADER.test(line));
};

const SEPARATOR = /^(?:_{10,}|-{4,}|-{2,}[^-]{1,60}-{2,})$/;
const PHONE =
  /^(?:Sent from |Get Outlook for |Von meinem .* gesendet|Gesendet von |Envoyé de(?:puis)? mon |Enviado desde |Enviado do |Inviato da |Verzonden vanaf |Skickat från |Wysłane z |Отправлено с )/i;

/** Leaves out quoted lines at the end, the line before them, and what stands before that. */
function withoutEnd(lines: readonly string[]): string {
  let end = ended(lines, lines.length, (line) => line.trim() === '');
  const quoted = ended(lines, end, (line) => line.startsWith('>') || line.trim() === '');
  if (quoted < end) {
    end = quoted;
    // The line before may be folded, once.
    const isFolded = /<[^>]{0,400}$/.test((lines[end - 2] ?? '').slice(-LINE_MAX));
    if (!isFolded && beginsQuote(lines[end - 1] ?? '')) end -= 1;
    else if (beginsQuote(`${lines[end - 2] ?? ''} ${lines[end - 1] ?? ''}`)) end -= 2;
  }
  const isRest = (line: string) =>
    line.trim() === '' ||
    (line.length < LINE_MAX && (SEPARATOR.test(line.trim()) || PHONE.test(line)));
  return lines
    .slice(0, ended(lines, end, isRest))
    .join('\n')
    .trim();
}

/** Returns the end of the lines without those at the end that are left out. */
function ended(lines: readonly string[], from: number, isLeftOut: (line: string) => boolean) {
  let end = from;
  while (end > 0 && isLeftOut(lines[end - 1] ?? '')) end -= 1;
  return end;
}

/**
 * Tests for a line that says of whom the quote below it is. All languages write a time, or an
 * address, and end with a colon; a few words tell those that have neither.
 */
function beginsQuote(line: string): boolean {
  const said = line.trim();
  if (said.length >= LINE_MAX || !/[:：]$/.test(said)) return false;
  return (
    /\d[:.h]\d\d|[^\s@]@[^\s@]/.test(said) ||
    /\b(?:wrote|schrieb|écrit|escribió|escreveu|scritto|schreef|skrev)\b/i.test(said)
  );
}
