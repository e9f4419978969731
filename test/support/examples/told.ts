import type { Row } from '../access/access.ts';
import type { Asker } from '../access/world.ts';

/** A request that tells a reader more than the one by which rights are tested. */
export interface Told {
  /** A member, unless only others may. */
  readonly as?: Asker;
  readonly request: Row['request'];
}
