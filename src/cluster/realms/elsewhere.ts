import type { Realm } from '../../../actors/realm/realm-handle.ts';
import type { Hosted } from '../../admin/realms/hosts.ts';
import { standInFor } from '../../admin/unserved-realm.ts';
import * as errors from '../../domain/wire/errors.ts';

/** A realm of which this node has no copy: requests to it are passed on. */
export interface Elsewhere extends Hosted {
  readonly id: number;
}

export function elsewhere(id: number, names: readonly string[]): Elsewhere {
  const realm: Realm = standInFor({ id, names }, errors.serverStopping).current();
  return { id, current: () => realm };
}
