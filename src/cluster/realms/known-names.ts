import type { Cast, Known } from './cast.ts';
import { elsewhere } from './elsewhere.ts';
import type { HeldRealm } from './held-realm.ts';

/** Notes the names of a realm that this node does not serve, as the node that writes it says. */
export function noteElsewhere(cast: Cast, id: number) {
  const { input, all, others, names, hosts } = cast;
  const held = all.get(id);
  // Its own rows say it better.
  if (held !== undefined && held.names().length > 0) return;
  const former = others.get(id);
  if (former !== undefined) names.free(former);
  const said = input.directory.namesOf(id);
  if (said === undefined) others.delete(id);
  else {
    const realm = elsewhere(id, said);
    others.set(id, realm);
    takeNames(cast, realm, said);
  }
  hosts.forget();
}

export function noteNames(cast: Cast, realm: HeldRealm) {
  const { input, names, others, hosts } = cast;
  names.free(realm);
  const other = others.get(realm.id);
  if (other !== undefined && realm.names().length > 0) {
    others.delete(realm.id);
    names.free(other);
  }
  takeNames(cast, realm, realm.names());
  hosts.forget();
  input.onRealmsChanged?.();
}

/** Gives a realm its names. The older of two realms has one that both took at the same time. */
export function takeNames({ names }: Cast, realm: Known, said: readonly string[]) {
  for (const name of said) {
    const other = names.get(name);
    if (other === undefined || other.id >= realm.id) names.set(name, realm);
  }
}

export async function tellNames({ input, all }: Cast) {
  for (const realm of all.values()) {
    const said = realm.names();
    if (realm.written() === null || said.length === 0) continue;
    const known = input.directory.namesOf(realm.id);
    if (JSON.stringify(known) === JSON.stringify(said)) continue;
    await input.directory.putNames(realm.id, said);
  }
}
