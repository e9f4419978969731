import { FullError } from './errors.ts';
import { CALLS_WAITING_MAX } from './limits.ts';

/** Lets so many pass at once; the others wait in the order in which they came. */
export class Gate {
  private free: number;
  private readonly waiting: { enter: () => void }[] = [];

  constructor(places: number) {
    this.free = places;
  }

  get isOpen() {
    return this.free > 0;
  }

  async pass<Result>(act: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    // A call that need not wait is made at once: to await nothing takes a turn as well.
    const turn = this.enter(signal);
    if (turn !== undefined) await turn;
    try {
      return await act();
    } finally {
      const next = this.waiting.shift();
      if (next === undefined) this.free += 1;
      else next.enter();
    }
  }

  private enter(signal?: AbortSignal): Promise<void> | undefined {
    if (this.free > 0) {
      this.free -= 1;
      return undefined;
    }
    if (this.waiting.length >= CALLS_WAITING_MAX) {
      throw new FullError(`More than ${CALLS_WAITING_MAX} calls wait for their turn`);
    }
    return new Promise((resolve, reject) => {
      const left = () => {
        this.waiting.splice(this.waiting.indexOf(place), 1);
        reject(signal?.reason);
      };
      const place = {
        enter: () => {
          signal?.removeEventListener('abort', left);
          resolve();
        },
      };
      this.waiting.push(place);
      signal?.addEventListener('abort', left, { once: true });
    });
  }
}
