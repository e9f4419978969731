import type { Inspection } from '../../actors/inspection.ts';
import type { Realms } from '../admin/deployment.ts';
import type { ServerSettings } from '../config.ts';
import type { Health } from '../metrics/health.ts';
import type { Recorders } from '../metrics/recorders.ts';
import type { OpenSocket } from '../transport/event-socket.ts';
import type { RecentLog } from './recent-log.ts';
import type { Samples } from './samples.ts';
import type { Sessions } from './sessions.ts';
import type { ShownNode } from './views/cluster.ts';
import type { GatewaysView } from './wire.ts';

/** The parts of a running server that the console shows. */
export interface ConsoleInput {
  readonly settings: ServerSettings;
  readonly recorders: Recorders;
  readonly samples: Samples;
  readonly log: RecentLog;
  readonly sessions: Sessions;
  /** The token of the operator's listener; null: only this machine reaches it. */
  readonly token: string | null;
  readonly inspection: Inspection;
  /** Null while the server is starting. */
  realms(): Realms | null;
  /** The state of the server's machine. */
  state(): string;
  health(): Health;
  /** The fields of `confab status`. */
  standing(): object;
  sockets(): Iterable<OpenSocket>;
  nextBackupAt(): number | null;
  /** This server as a node of a cluster; null if it is none. */
  node(): ShownNode | null;
  /** The gateways of this server; null if it has none. */
  gateways(): GatewaysView | null;
  onBug(error: unknown): void;
}
