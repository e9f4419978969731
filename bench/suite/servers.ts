/** The servers of some figures: confab, its baseline, then the others as they come. */
export function serversIn(list: readonly { readonly server: string }[]): readonly string[] {
  const all = new Set(list.map(({ server }) => server));
  return [...['confab', 'baseline'].filter((server) => all.has(server)), ...all].filter(
    (server, index, own) => own.indexOf(server) === index,
  );
}
