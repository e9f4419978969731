import type { Declaration } from './declaration.ts';
import { CLUSTER } from './declared/cluster.ts';
import { CONNECTIONS } from './declared/connections.ts';
import { EVENTS } from './declared/events.ts';
import { LATER } from './declared/later.ts';
import { REQUESTS, SERVER } from './declared/requests.ts';
import { STORAGE } from './declared/storage.ts';
import { WRITING } from './declared/writing.ts';

/** All metrics of the server's own, in the order of the documents. */
export const DECLARATIONS: readonly Declaration[] = [
  ...SERVER,
  ...REQUESTS,
  ...WRITING,
  ...EVENTS,
  ...CONNECTIONS,
  ...STORAGE,
  ...LATER,
  ...CLUSTER,
];
