/**
 * Tests whether an entry of the sign-in file is for the realm of a `string_id`: one that names no
 * realms is for all of them.
 */
export const isForRealm = (
  { realms }: { readonly realms?: readonly string[] | undefined },
  stringId: string,
): boolean => realms === undefined || realms.includes(stringId);

interface Entry {
  readonly name: string;
  readonly realms?: readonly string[] | undefined;
}

/** Returns the names of realms in entries of the sign-in file that none of these realms has. */
export const unknownRealms = (entries: readonly Entry[], stringIds: ReadonlySet<string>) =>
  entries.flatMap(({ name, realms = [] }) =>
    realms.filter((realm) => !stringIds.has(realm)).map((realm) => ({ entry: name, realm })),
  );
