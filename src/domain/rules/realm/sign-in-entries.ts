/**
 * Tests whether an entry of the sign-in file is for the realm of a `string_id`: one that names no
 * realms is for all of them.
 */
export const isForRealm = (
  { realms }: { readonly realms?: readonly string[] | undefined },
  stringId: string,
): boolean => realms === undefined || realms.includes(stringId);
