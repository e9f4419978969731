import * as realms from '../../operations/access/realms.ts';

export interface RealmNames {
  /** All names of the realm, the present one first. */
  readonly names: readonly string[];
  readonly addressName: string;
}

/** The tables that hold the names of a realm. */
export type Names = Parameters<typeof realms.namesOf>[0];

export const namesIn = (reader: Names): RealmNames => ({
  names: realms.namesOf(reader),
  addressName: realms.addressName(reader),
});

/** Returns the first label of a host with several, in lower case: `<realm>.<domain>`. */
export function realmName(host: string): string {
  const dot = host.indexOf('.');
  return dot < 0 ? '' : host.slice(0, dot).toLowerCase();
}
