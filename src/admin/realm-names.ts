import * as errors from '../domain/wire/errors.ts';

/**
 * The names by which realms are found, former ones as well: each is one realm's. A realm knows nothing of the others, so a
 * name that it is to have is claimed for it here, from before its operation until that is on disk.
 */
export function openRealmNames<Owner extends object>() {
  const owners = new Map<string, Owner>();
  const claims = new Set<{ readonly name: string; readonly owner: Owner | undefined }>();
  return {
    get: (name: string): Owner | undefined => owners.get(name),
    set(name: string, owner: Owner) {
      owners.set(name, owner);
    },
    /** Refuses what is somebody else's, or is about to be. What is returned ends the claim, and says what came of it. */
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
