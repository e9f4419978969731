import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseSync } from 'rolldown/utils';

const ROOT = resolve(import.meta.dirname, '../../..');

/** A regular expression of the source, and where it stands. */
export interface Expression {
  readonly file: string;
  readonly pattern: string;
  readonly flags: string;
}

/** An expression that is put together when it is asked for: only its text is known here. */
export interface Construction {
  readonly file: string;
  readonly source: string;
}

export interface Expressions {
  readonly literals: readonly Expression[];
  readonly constructions: readonly Construction[];
}

/** Every expression in the files of these folders, as a parser of the language sees them. */
export function expressionsIn(folders: readonly string[]): Expressions {
  const literals: Expression[] = [];
  const constructions: Construction[] = [];
  for (const file of folders.flatMap(sourcesIn)) {
    const text = readFileSync(join(ROOT, file), 'utf8');
    const { program, errors } = parseSync(file, text);
    if (errors.length > 0) throw new Error(`${file} cannot be read: ${errors[0]?.message}`);
    eachNode(program, (node) => {
      const regex = regexOf(node);
      if (regex !== undefined) literals.push({ file, ...regex });
      if (isConstruction(node)) {
        const source = text.slice(Number(node['start']), Number(node['end']));
        constructions.push({ file, source: source.replace(/\s+/g, ' ') });
      }
    });
  }
  return { literals, constructions };
}

const sourcesIn = (folder: string) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name));

type Node = Readonly<Record<string, unknown>>;

function eachNode(value: unknown, visit: (node: Node) => void) {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) visit(value as Node);
  for (const inner of Object.values(value)) eachNode(inner, visit);
}

function regexOf(node: Node): { pattern: string; flags: string } | undefined {
  if (node['type'] !== 'Literal') return undefined;
  return node['regex'] as { pattern: string; flags: string } | undefined;
}

/** `RegExp(…)`, with `new` or without, and `RE2JS.compile(…)`. */
function isConstruction({ type, callee }: Node): boolean {
  if (type !== 'NewExpression' && type !== 'CallExpression') return false;
  const { name, property, object } = callee as Node;
  if (name === 'RegExp') return true;
  return (property as Node | undefined)?.['name'] === 'compile' && isEngine(object as Node);
}

const isEngine = ({ name, property }: Node) =>
  name === 'RE2JS' || (property as Node | undefined)?.['name'] === 'RE2JS';
