import type { Logger } from 'pino';
import type { Clock } from '../../actors/clock.ts';
import type { Inspection } from '../../actors/inspection.ts';
import type { Schemas } from '../../storage/migrations/migration.ts';
import type { ObjectStore } from '../../storage/objects/object-store.ts';
import type { DataDirectory } from '../admin/data-directory.ts';
import type { Realms } from '../admin/deployment.ts';
import type { SyncSchedule } from '../admin/directories/schedule.ts';
import type { FreeSpace, Statfs } from '../admin/free-space.ts';
import type { DeploymentInput } from '../admin/realms/input.ts';
import type { Acme } from '../admin/tls/acme.ts';
import type { TlsRenewal } from '../admin/tls/tls-renewal.ts';
import type { BackupSchedule } from '../backups/schedule.ts';
import type { ClusterStore } from '../cluster/log/cluster-store.ts';
import type { Node } from '../cluster/node/declaration.ts';
import type { ServerSettings } from '../config.ts';
import type { RecentLog } from '../console/recent-log.ts';
import type { Gateways } from '../gateways/writing/gateways.ts';
import type { Recorders } from '../metrics/recorders.ts';
import type { Monitoring } from '../monitoring.ts';
import type { Notes } from '../notes.ts';
import type { Served } from '../served.ts';
import type { Listener } from '../transport/connections/listen.ts';
import type { Redirects } from '../transport/redirects.ts';
import type { Dispatcher } from '../workers/dispatcher.ts';
import type { MailIn } from '../workers/incoming/listener.ts';
import type { MailTaking } from '../workers/incoming/taking.ts';

export interface AppInput
  extends Pick<DeploymentInput, 'logBytesMax' | 'commitMsMax' | 'commitLogOf'> {
  readonly settings: ServerSettings;
  readonly log: Logger;
  /** The newest records of the log, for the console; by default it has none. */
  readonly recentLog?: RecentLog;
  /** Called when the process must not go on; by default as a commit did not reach the disk. */
  readonly onFatal: (error: unknown, why?: string) => void;
  /** In a test: the log and the bus of the cluster that the settings name. */
  readonly clusterStore?: ClusterStore;
  /** In a test: the objects that the nodes of the cluster share. */
  readonly clusterObjects?: ObjectStore;
  /** In a test: the schemas that this node of the cluster knows. */
  readonly clusterSchemas?: Schemas | undefined;
  readonly clock?: Clock;
  readonly statfs?: Statfs;
}

/** Each part takes from it what it needs. */
export interface Input extends AppInput {
  readonly clock: Clock;
  /** The data directory as an absolute path. */
  readonly data: string;
  readonly notes: Notes;
  readonly recorders: Recorders;
  readonly monitoring: Monitoring;
}

export interface Parts {
  readonly inspection: Inspection;
  directory: DataDirectory | null;
  space: FreeSpace | null;
  dispatcher: Dispatcher | null;
  realms: Realms | null;
  listener: Listener | null;
  served: Served | null;
  tlsRenewal: TlsRenewal | null;
  redirects: Redirects | null;
  backups: BackupSchedule | null;
  syncs: SyncSchedule | null;
  acme: Acme | null;
  gateways: Gateways | null;
  node: Node | null;
  /** Receives mails, if there is an address for it. */
  mailIn: MailIn | null;
  /** Makes messages of mails; nodes take those of other nodes as well. */
  mailTaking: MailTaking | null;
}

/** The realms of the stores; `isNew` if the demo was made just now. */
export interface Opened {
  readonly realms: Realms;
  readonly isNew: boolean;
}
