import * as errors from '../domain/wire/errors.ts';

/**
 * The names of all realms, former ones included; each belongs to one realm. A realm does not know
 * the others, so a new name is claimed here before the operation that sets it, until that is on
 * disk.
 */
export function openRealmNames<Owner extends object>() {
  const owners = new Map<string, Owner>();
  const claims = new Set<{ readonly name: string; readonly owner: Owner | undefined }>();
  return {
    get: (name: string): Owner | undefined => owners.get(name),
    set(name: string, owner: Owner) {
      owners.set(name, owner);
    },
    /** Frees all names of a realm that is gone. */
    free(owner: Owner) {
      for (const [name, other] of owners) if (other === owner) owners.delete(name);
    },
    /**
     * Claims a name, and refuses one that another realm has or has claimed. The returned function
     * ends the claim; it is told whether the realm got the name.
     */
    claim(name: string, owner: Owner | undefined): (isGiven: boolean) => void {
      const isOthers = (other: Owner | undefined) => other === undefined || other !== owner;
      const taken = owners.get(name);
      if (taken !== undefined && isOthers(taken)) throw nameTaken();
      for (const claim of claims)
        if (claim.name === name && isOthers(claim.owner)) throw nameTaken();
      const claim = { name, owner };
      claims.add(claim);
      return (isGiven) => {
        claims.delete(claim);
        if (isGiven && owner !== undefined) owners.set(name, owner);
      };
    },
  };
}

const nameTaken = () =>
  errors.badRequest('Subdomain is already in use. Please choose a different one.');
