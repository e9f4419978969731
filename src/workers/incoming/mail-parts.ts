const HEADER = /^(?:[!-9;-~]+[ \t]*:|[ \t]|>?From )/;

/** Returns what follows the first empty line, or begins with the first line that is no header. */
export function bodyOf(mail: string): string {
  let start = 0;
  while (start < mail.length) {
    const end = mail.indexOf('\n', start) + 1 || mail.length;
    const line = mail.slice(start, end).replace(/\r?\n$/, '');
    if (line === '') return mail.slice(end);
    if (!HEADER.test(line)) return mail.slice(start);
    start = end;
  }
  return '';
}

const BOUNDARY = /\bboundary\s*=\s*(?:"([^"]*)"|([^\s;"]+))/i;

/** Returns the boundary that a header `Content-Type` names; empty if it names none. */
export function boundaryIn(header: string): string {
  const [, quoted, plain = ''] = BOUNDARY.exec(header) ?? [];
  return quoted ?? plain;
}
