import type { FollowerTree } from '../../../actors/realm/realm-tree.ts';
import type { OpenSocket } from '../../transport/event-socket.ts';

/** The number of open sockets, and of those whose clients have not taken all that was sent. */
export interface SocketCounts {
  readonly open: number;
  readonly behind: number;
}

/** The clients of a gateway, as operators see them. */
export interface Shown {
  readonly sockets: readonly OpenSocket[];
  readonly realms: readonly (readonly [realmId: number, tree: FollowerTree])[];
}
