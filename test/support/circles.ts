/** Files by what they import. */
type Imports = ReadonlyMap<string, readonly string[]>;

/**
 * Finds files that import each other, directly or by way of others. A circle is given as the files
 * from one of them back to itself. Of circles that share files, only some are given.
 */
export function circlesIn(imports: Imports): string[] {
  const circles: string[] = [];
  const finished = new Set<string>();
  for (const file of imports.keys()) walk(file, []);
  return circles;

  function walk(file: string, path: readonly string[]) {
    const begin = path.indexOf(file);
    if (begin >= 0) circles.push([...path.slice(begin), file].join(' → '));
    if (begin >= 0 || finished.has(file)) return;
    for (const target of imports.get(file) ?? []) walk(target, [...path, file]);
    finished.add(file);
  }
}
