import { z } from 'zod';
import { objectsIn } from '../../storage/files/open-file-store.ts';
import { takeDataDirectory } from '../admin/data-directory.ts';
import { type OperatingName, operate } from '../cluster/operating.ts';
import { openClusterStore } from '../cluster/start.ts';
import type { ServerSettings } from '../config.ts';
import { ConfigError } from '../settings/reading.ts';
import { refuseMissingData } from './ask.ts';
import { giveToOwner } from './same-owner.ts';

const WAIT_S = 15;
const WAIT_S_MAX = 3_600;

const rebuilding = z.object({
  from: z.string().optional(),
  wait: z.coerce.number().min(0).max(WAIT_S_MAX).default(WAIT_S),
});

function rebuildingIn(args: Readonly<Record<string, unknown>>) {
  const parsed = rebuilding.safeParse(args);
  if (!parsed.success) {
    throw new ConfigError('Usage: confab cluster rebuild-log [--from <node>] [--wait <seconds>]');
  }
  return { from: parsed.data.from, waitMs: parsed.data.wait * 1_000 };
}

/** Runs a command on the data directory of a server or node that does not run. */
export async function operateHere(
  settings: ServerSettings,
  data: string,
  name: OperatingName,
  args: Readonly<Record<string, unknown>>,
): Promise<readonly object[]> {
  const { cluster } = settings;
  if (cluster === null) {
    throw new ConfigError(`confab ${name} needs CONFAB_CLUSTER, the servers of the log`);
  }
  refuseMissingData(data, name);
  const directory = await takeDataDirectory(data, (socket) => socket.destroy());
  try {
    const notice = (text: string) => void process.stderr.write(`confab: ${text}\n`);
    const store = await openClusterStore(cluster, notice);
    try {
      const { node, shards } = cluster;
      const objects = objectsIn(settings);
      const { from, waitMs } = rebuildingIn(args);
      const input = { data, node, shards, store, objects, now: Date.now };
      return await operate(name, { ...input, from, waitMs, onNotice: notice });
    } finally {
      await store.close();
    }
  } finally {
    await directory.release();
    giveToOwner(data);
  }
}
