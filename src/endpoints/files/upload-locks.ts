import type { Realm } from '../../../actors/realm/realm-handle.ts';
import * as errors from '../../domain/wire/errors.ts';

/** Who is at work on an upload, by its id. Files outlive the handle of a realm that is started again. */
const holders = new WeakMap<Realm['files'], Map<string, Holder>>();

interface Holder {
  /** Has it come to an end soon, with what it has. */
  readonly interrupt: () => void;
  readonly ended: Promise<unknown>;
}

/** Work that nobody else may do on the same upload at a time; refused while somebody does. */
export async function alone<Reply>(
  { files }: Realm,
  id: string,
  { interrupt, work }: { interrupt: () => void; work: () => Promise<Reply> },
): Promise<Reply> {
  const held = holders.get(files) ?? new Map<string, Holder>();
  holders.set(files, held);
  if (held.has(id)) throw errors.uploadLocked();
  const working = work();
  held.set(id, { interrupt, ended: working.catch(() => undefined) });
  try {
    return await working;
  } finally {
    held.delete(id);
  }
}

/**
 * Ends the work of an earlier request on the same upload: a client that asks where it stands has lost the connection on
 * which it sent, whether or not the server knows.
 */
export async function interrupt({ files }: Realm, id: string): Promise<void> {
  const held = holders.get(files);
  for (let holder = held?.get(id); holder !== undefined; holder = held?.get(id)) {
    holder.interrupt();
    await holder.ended;
  }
}
