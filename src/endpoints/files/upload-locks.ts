import type { Realm } from '../../../actors/realm/realm-handle.ts';
import * as uploadErrors from '../../domain/wire/upload-errors.ts';

/**
 * The holders of the locks of uploads, by id. They belong to the files, which outlive the handle of
 * a realm that is restarted.
 */
const holders = new WeakMap<Realm['files'], Map<string, Holder>>();

interface Holder {
  /** Makes the holder end soon, with what it has. */
  readonly interrupt: () => void;
  readonly ended: Promise<unknown>;
}

/** Runs work that needs exclusive access to an upload; refuses while other work has it. */
export async function alone<Reply>(
  { files }: Realm,
  id: string,
  { interrupt, work }: { interrupt: () => void; work: () => Promise<Reply> },
): Promise<Reply> {
  const held = holders.get(files) ?? new Map<string, Holder>();
  holders.set(files, held);
  if (held.has(id)) throw uploadErrors.uploadLocked();
  const working = work();
  held.set(id, { interrupt, ended: working.catch(() => undefined) });
  try {
    return await working;
  } finally {
    held.delete(id);
  }
}

/**
 * Ends the work of an earlier request on the same upload: a client that asks for its state has lost
 * the connection on which it sent, even if the server does not know yet.
 */
export async function interrupt({ files }: Realm, id: string): Promise<void> {
  const held = holders.get(files);
  for (let holder = held?.get(id); holder !== undefined; holder = held?.get(id)) {
    holder.interrupt();
    await holder.ended;
  }
}
