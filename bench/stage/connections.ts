import { readFileSync } from 'node:fs';
import type { Bench } from '../suite/context.ts';

// Of a process that holds so many: its store, its other sockets, the sender's.
const OTHER_DESCRIPTORS = 300;

/** How many connections one process may hold. Node raises its own limit to the hard one, and so do its children. */
function connectionsMax(): number {
  const limits = readFileSync('/proc/self/limits', 'utf8');
  const limit = /^Max open files\s+(\d+)/m.exec(limits)?.[1];
  return limit === undefined ? Number.POSITIVE_INFINITY : Number(limit) - OTHER_DESCRIPTORS;
}

/** Those that the limit of file descriptors allows; of the others it is said that they are left out. */
export function allowedSizes(sizes: readonly number[], { note }: Pick<Bench, 'note'>) {
  const most = connectionsMax();
  const over = sizes.filter((size) => size > most);
  for (const size of over) {
    note(`${size} connections were left out: ulimit -n allows ${most}.`);
  }
  return sizes.filter((size) => size <= most);
}
