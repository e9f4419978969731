import { Parser } from 'htmlparser2';

/**
 * Reads an XML document as texts by their paths: `texts('ListBucketResult/Contents/Key')` are the
 * texts of all these elements, in their order.
 */
export function textsIn(document: string): (path: string) => readonly string[] {
  const texts = new Map<string, string[]>();
  const open: string[] = [];
  let text = '';
  const parser = new Parser(
    {
      onopentag(name) {
        open.push(name);
        text = '';
      },
      ontext(more) {
        text += more;
      },
      onclosetag() {
        const path = open.join('/');
        const before = texts.get(path);
        if (before === undefined) texts.set(path, [text]);
        else before.push(text);
        open.pop();
        text = '';
      },
    },
    { xmlMode: true },
  );
  parser.end(document);
  return (path) => texts.get(path) ?? [];
}
