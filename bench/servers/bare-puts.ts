import { open } from 'lmdb';
import { type EncodedLatencies, newLatencies } from '../suite/latencies.ts';
import { temporaryDirectory } from './belongings.ts';

interface Puts {
  readonly count: number;
  readonly elapsedSeconds: number;
  readonly times: EncodedLatencies;
}

interface PutSetting {
  /** Bytes of a row; a put is of two of them, as a message and its event. */
  readonly rowBytes: number;
  /** Under way at once, the next one when one is synced. */
  readonly inFlight: number;
  readonly seconds: number;
}

export interface BarePuts {
  readonly run: (setting: PutSetting) => Promise<Puts>;
}

/**
 * LMDB and nothing else, in the process that asks: how long it takes until something is on disk.
 */
export function openBarePuts(): BarePuts {
  const rows = open<string, number[]>({ path: temporaryDirectory().path, overlappingSync: false });
  let id = 0;
  return {
    run: async ({ rowBytes, inFlight, seconds }) => {
      const times = newLatencies();
      const startMs = performance.now();
      const endMs = startMs + seconds * 1000;
      await Promise.all(
        Array.from({ length: inFlight }, async () => {
          for (let begunMs = performance.now(); begunMs < endMs; begunMs = performance.now()) {
            id += 1;
            const row = String(id).padEnd(rowBytes);
            await Promise.all([rows.put([1, id], row), rows.put([2, id], row)]);
            times.record(performance.now() - begunMs);
          }
        }),
      );
      const counted = times.encoded();
      const elapsedSeconds = (performance.now() - startMs) / 1000;
      return { count: counted.count, elapsedSeconds, times: counted };
    },
  };
}
