import type { FollowerTree } from '../../actors/realm/realm-tree.ts';
import type { OpenSocket } from '../transport/event-socket.ts';

/** The clients of a gateway, as operators see them. */
export interface Shown {
  readonly sockets: readonly OpenSocket[];
  /** Sockets whose clients have not taken all that was sent. */
  readonly behind: number;
  readonly realms: readonly (readonly [realmId: number, tree: FollowerTree])[];
}
