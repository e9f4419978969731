import { z } from 'zod';

/** Fields that have another name since version 2 of a results file. */
const FIELDS: Readonly<Record<string, string>> = {
  ofFloor: 'ofBaseline',
  marks: 'targets',
  wanted: 'expected',
  isReached: 'isMet',
};

const isVersion1 = z.looseObject({ version: z.literal(1) });

/**
 * Returns a results file of version 1 with the names of version 2. Newer files are returned as they
 * are.
 */
export function withNewNames(file: unknown): unknown {
  return isVersion1.safeParse(file).success
    ? { ...z.looseObject({}).parse(renamed(file)), version: 2 }
    : file;
}

function renamed(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll(/\bfloor\b/g, 'baseline');
  if (Array.isArray(value)) return value.map(renamed);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(([name, field]) => [
    FIELDS[name] ?? name,
    renamed(field),
  ]);
  return Object.fromEntries(fields);
}
