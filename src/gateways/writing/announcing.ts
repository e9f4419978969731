import type { FromWriter } from '../link/frames.ts';
import type { FrameStream } from '../link/stream.ts';

/** A gateway that has not taken so much is told only that there is more, and reads it itself. */
const UNSENT_BYTES_MAX = 16 * 1024 * 1024;
/** How often it is looked whether it has. */
const LOOK_MS = 100;

/** Tells one gateway of the events of realms. */
export interface Announcing {
  /** Tells of the events of a commit, the last of which is `head`; `rows` are they, packed. */
  announce(realmId: number, head: number, rows: Uint8Array): void;
  /** Tells of rows behind views. A gateway that missed some reads all of them again. */
  tellOfViews(realmId: number, version: number, keys: Uint8Array | null): void;
  close(): void;
}

/**
 * A gateway that stands still, or reads slower than the server writes, must not fill the memory of
 * the writer. What it was not told it finds in its own map of the store.
 */
export function openAnnouncing(stream: FrameStream<FromWriter>): Announcing {
  /** The newest events of realms of which it was not told. */
  const behind = new Map<number, number>();
  let timer: NodeJS.Timeout | undefined;

  function look() {
    if (stream.unsentBytes() > UNSENT_BYTES_MAX / 2) return;
    for (const [realmId, head] of behind) stream.send(['head', realmId, head]);
    behind.clear();
    clearInterval(timer);
    timer = undefined;
  }

  return {
    announce(realmId, head, rows) {
      if (behind.size === 0 && stream.unsentBytes() <= UNSENT_BYTES_MAX) {
        stream.send(['events', realmId, rows]);
        return;
      }
      behind.set(realmId, head);
      timer ??= setInterval(look, LOOK_MS).unref();
    },
    tellOfViews(realmId, version, keys) {
      if (stream.unsentBytes() > UNSENT_BYTES_MAX) return;
      stream.send(['views', realmId, version, keys]);
    },
    close: () => clearInterval(timer),
  };
}
