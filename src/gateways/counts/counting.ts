import type { Holder } from '../../../actors/realm/holds.ts';
import type { FromWriter } from '../link/frames.ts';
import type { FrameStream } from '../link/stream.ts';

/** A scrape waits no longer for what gateways have counted: one of them may hang. */
const WAIT_MS_MAX = 500;

interface Asked {
  readonly number: Holder;
  readonly stream: FrameStream<FromWriter>;
}

/** Has gateways tell what they counted, so that a scrape has all that was done before it. */
export interface Counting {
  /** Resolves when all of them have told it, or it takes too long. */
  now(gateways: Iterable<Asked>): Promise<void>;
  told(gateway: Holder, asked: number): void;
  gone(gateway: Holder): void;
}

export function openCounting(): Counting {
  const waiting = new Map<number, { readonly silent: Set<Holder>; readonly done: () => void }>();
  let newest = 0;

  function heard(asked: number, gateway: Holder) {
    const one = waiting.get(asked);
    one?.silent.delete(gateway);
    if (one?.silent.size === 0) one.done();
  }

  return {
    now(gateways) {
      newest += 1;
      const asked = newest;
      const all = [...gateways];
      if (all.length === 0) return Promise.resolve();
      return new Promise((resolve) => {
        const done = () => {
          clearTimeout(timer);
          waiting.delete(asked);
          resolve();
        };
        const timer = setTimeout(done, WAIT_MS_MAX);
        waiting.set(asked, { silent: new Set(all.map(({ number }) => number)), done });
        for (const { stream } of all) stream.send(['count', asked]);
      });
    },
    told: (gateway, asked) => heard(asked, gateway),
    gone(gateway) {
      for (const asked of [...waiting.keys()]) heard(asked, gateway);
    },
  };
}
