import { objectsIn } from '../../storage/files/open-file-store.ts';
import { takeDataDirectory } from '../admin/data-directory.ts';
import { type OperatingName, operate } from '../cluster/operating.ts';
import { openClusterStore } from '../cluster/start.ts';
import type { ServerSettings } from '../config.ts';
import { ConfigError } from '../settings/reading.ts';
import { giveToOwner } from './same-owner.ts';

/** Runs a command on the data directory of a server or node that does not run. */
export async function operateHere(
  settings: ServerSettings,
  data: string,
  name: OperatingName,
): Promise<readonly object[]> {
  const { cluster } = settings;
  if (cluster === null) {
    throw new ConfigError(`confab ${name} needs CONFAB_CLUSTER, the servers of the log`);
  }
  const directory = await takeDataDirectory(data, (socket) => socket.destroy());
  try {
    const notice = (text: string) => void process.stderr.write(`confab: ${text}\n`);
    const store = await openClusterStore(cluster, notice);
    try {
      const { node, shards } = cluster;
      const objects = objectsIn(settings);
      return await operate(name, { data, node, shards, store, objects, now: Date.now });
    } finally {
      await store.close();
    }
  } finally {
    await directory.release();
    giveToOwner(data);
  }
}
