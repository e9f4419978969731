import { randomBytes } from 'node:crypto';
import type { SharedValues } from './log/bus.ts';
import { packed, unpacked } from './nodes/frames.ts';

/** The facts that all nodes of a cluster agree on, for ever. */
export interface Founding {
  readonly id: string;
  readonly shards: number;
  /** The word by which nodes know each other's requests. */
  readonly secret: string;
}

const KEY = 'cluster';

/** Reads what the cluster was founded with; the first node founds it. */
export async function foundingOf(values: SharedValues, shards: number): Promise<Founding> {
  const own: Founding = {
    id: randomBytes(8).toString('hex'),
    shards,
    secret: randomBytes(32).toString('hex'),
  };
  await values.putNew(KEY, packed(own));
  const founded = await values.get(KEY);
  if (founded === undefined) throw new Error('the shared values of the cluster cannot be read');
  return unpacked<Founding>(founded);
}
