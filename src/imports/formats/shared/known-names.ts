/**
 * Finds the longest beginning of a name that is known; a point or dash behind a name may be that of
 * the sentence. Returns what was found, and the rest of the name.
 */
export function longestKnown<Found>(
  name: string,
  find: (candidate: string) => Found | undefined,
): { readonly found: Found; readonly rest: string } | null {
  for (let end = name.length; end > 0; end -= 1) {
    const found = find(name.slice(0, end));
    if (found !== undefined) return { found, rest: name.slice(end) };
    if (!/[._-]/.test(name[end - 1] ?? '')) return null;
  }
  return null;
}
