import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { OPEN_MS, QUESTION_MS } from '../bounds.ts';
import type { ClusterStore } from '../cluster-store.ts';
import { LogSetupError } from '../errors.ts';
import type { ShardLog } from '../shard-log.ts';
import { introductionsOf } from './introductions.ts';
import { openNatsBus } from './nats-bus.ts';
import { connectionOptions, type Link, type NatsOptions, openLink } from './nats-connection.ts';
import { openNatsLog } from './nats-log.ts';
import { asked } from './nats-records.ts';
import { standingOf } from './nats-standing.ts';
import { ensureStream, requireServer, requireVersion } from './nats-streams.ts';
import { syncingOf } from './nats-syncs.ts';
import { openNatsValues, VALUES_STREAM } from './nats-values.ts';
import { openServerChoice } from './server-choice.ts';

/** Opens the cluster store that NATS servers hold. Throws if they may lose what they confirm. */
export async function openNatsCluster(options: NatsOptions): Promise<ClusterStore> {
  const ofConnection = await connectionOptions(options);
  const link = await openLink(options, ofConnection);
  const isUnsafe = options.isUnsafe ?? false;
  try {
    requireServer(link.connection);
    // The node may be connected to any of them later, and to one that was away or has changed.
    for (const one of await introductionsOf(options.servers)) requireVersion(one);
    link.watch(() => noteUnfit(link));
    await requireSyncs(options);
    const jsm = await jetstreamManager(link.connection, { timeout: QUESTION_MS, checkAPI: false });
    const js = jetstream(link.connection, { timeout: QUESTION_MS });
    const logs = new Map<number, Promise<ShardLog>>();
    const openLog = async (shard: number) => {
      const { created } = await asked(() => ensureStream(jsm, shard, isUnsafe), OPEN_MS);
      return openNatsLog({ shard, link, js, jsm, made: created });
    };
    const values = await openNatsValues(link, isUnsafe);
    const endChoice = openServerChoice({ link, options: ofConnection, stream: VALUES_STREAM });
    return {
      bus: openNatsBus(link),
      values,
      openLog(shard) {
        const opened = logs.get(shard) ?? openLog(shard);
        logs.set(shard, opened);
        // The next one to open it tries again.
        opened.catch(() => logs.delete(shard));
        return opened;
      },
      isConnected: () => link.isConnected(),
      standing: () => standingOf(link, jsm),
      close() {
        endChoice();
        return link.close();
      },
    };
  } catch (error) {
    await link.close();
    throw error;
  }
}

/** Says so if the node has come to a server that a start would refuse. */
function noteUnfit(link: Link): void {
  if (!link.isConnected()) return;
  try {
    requireServer(link.connection);
  } catch (error) {
    link.notice(error instanceof Error ? error.message : String(error));
  }
}

/** Throws if a server is seen to confirm records before they are synced. */
async function requireSyncs(options: NatsOptions): Promise<void> {
  const { servers, monitors, isUnsafe, onNotice } = options;
  const unseen: string[] = [];
  for (const [url, syncing] of await syncingOf(servers, monitors)) {
    if (syncing === 'unknown') unseen.push(url);
    if (syncing === 'later' && !isUnsafe) {
      throw new LogSetupError(
        `The NATS server at ${url} confirms records before they are on its disk. ` +
          'Set sync_interval: always in its jetstream block.',
      );
    }
  }
  if (unseen.length === 0) return;
  const where = unseen.join(' and ');
  onNotice?.(`It cannot be seen at ${where} whether the NATS servers have sync_interval: always.`);
}
