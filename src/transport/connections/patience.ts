import { BODY_PROGRESS_BYTES_MIN, BODY_PROGRESS_MS } from '../../domain/limits.ts';
import type { HttpResponse } from '../library/sockets.ts';

/**
 * Keeps a body that comes slowly. The library cuts off what brings less than 16 KiB a second over its ten seconds (thirty in newer
 * builds); going on after a pause gives it as long again, so that is done as long as something comes.
 */
export class Patience {
  private readonly res: HttpResponse;
  private bytes = 0;
  private since = performance.now();

  constructor(res: HttpResponse) {
    this.res = res;
  }

  /** More has come. */
  note(bytes: number) {
    this.bytes += bytes;
    if (this.bytes < BODY_PROGRESS_BYTES_MIN) return;
    const now = performance.now();
    if (now - this.since < BODY_PROGRESS_MS) return;
    this.bytes = 0;
    this.since = now;
    this.res.pause();
    this.res.resume();
  }
}
