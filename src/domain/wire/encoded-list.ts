/**
 * A list of a reply whose items are JSON text already, because many replies have the same ones.
 * `json` writes them unchanged; `toJSON` parses them, for `JSON.stringify` and msgpack.
 */
export class EncodedList {
  private readonly items: readonly string[];

  constructor(items: readonly string[]) {
    this.items = items;
  }

  json(): string {
    // The engine notes what the text consists of, and copies it once, when it is written.
    let json = '[';
    for (let index = 0; index < this.items.length; index++) {
      json += index === 0 ? this.items[index] : `,${this.items[index]}`;
    }
    return `${json}]`;
  }

  toJSON(): unknown {
    return JSON.parse(this.json());
  }
}

const isEncoded = (value: unknown): value is EncodedList => value instanceof EncodedList;

/** Returns the JSON of an object whose values may be encoded lists. */
export function jsonOf(body: Readonly<Record<string, unknown>>): string {
  if (!Object.values(body).some(isEncoded)) return JSON.stringify(body);
  const fields: string[] = [];
  for (const [name, value] of Object.entries(body)) {
    const text = isEncoded(value) ? value.json() : JSON.stringify(value);
    if (text !== undefined) fields.push(`${JSON.stringify(name)}:${text}`);
  }
  return `{${fields.join(',')}}`;
}

/**
 * Joins texts to one that is stored in one piece. The engine only notes what a template consists
 * of, and would walk through all of that for each reply that has the text.
 */
export const inOnePiece = (...texts: readonly (string | number)[]): string => texts.join('');
