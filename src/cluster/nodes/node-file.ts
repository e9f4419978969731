import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { readRegularFile } from '../../../storage/files/regular-file.ts';
import { replaceFile } from '../../../storage/files/replace-file.ts';
import { ConfigError } from '../../settings/reading.ts';
import { realmIdsIn } from '../realm-folders.ts';

/** The file that says of which cluster's node a data directory is. */
export const NODE_FILE = 'node.json';

const content = z.object({
  node: z.string(),
  /** The shards of which the node has a whole copy; versions before said nothing of it. */
  holds: z.array(z.int().nonnegative()).optional(),
});

/** Notes that a data directory is that of a node. Throws if it has realms that are no copies. */
export function noteNode(data: string, node: string): void {
  const file = join(data, NODE_FILE);
  const known = nodeOf(data);
  if (known === node) return;
  if (known !== undefined) {
    throw new ConfigError(`${data} is that of node ${known}: CONFAB_NODE says ${node}`);
  }
  if (realmIdsIn(data).length > 0) {
    throw new ConfigError(
      `${data} has realms of a server of its own: a node begins with an empty directory`,
    );
  }
  replaceFile(file, `${JSON.stringify({ node })}\n`);
}

/** Throws if a data directory is that of a node: what is written there must be in the log first. */
export function refuseNodes(data: string): void {
  const node = nodeOf(data);
  if (node === undefined) return;
  throw new ConfigError(
    `${data} is that of node ${node} of a cluster: without CONFAB_CLUSTER it must not be opened`,
  );
}

/** Returns the name of the node that a data directory is of. */
export const nodeOf = (data: string): string | undefined => contentOf(data)?.node;

/**
 * Returns the shards of which the directory of a node has a whole copy; undefined where an older
 * version wrote it, which noted nothing.
 */
export const holdsOf = (data: string): readonly number[] | undefined => contentOf(data)?.holds;

/** Notes the shards of which a node has a whole copy. */
export function noteHolds(data: string, holds: readonly number[]): void {
  const known = contentOf(data);
  if (known === undefined) throw new Error(`${data} is not the directory of a node`);
  const said = JSON.stringify({ node: known.node, holds });
  replaceFile(join(data, NODE_FILE), `${said}\n`);
}

function contentOf(data: string): z.output<typeof content> | undefined {
  const file = join(data, NODE_FILE);
  if (!existsSync(file)) return undefined;
  try {
    return content.parse(JSON.parse(readRegularFile(file)));
  } catch {
    throw new ConfigError(`${file} is damaged: it should say {"node": "<name>"}`);
  }
}
