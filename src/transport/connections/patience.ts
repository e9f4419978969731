import { BODY_PROGRESS_BYTES_MIN, BODY_PROGRESS_MS } from '../../domain/limits/files.ts';
import type { HttpResponse } from '../library/sockets.ts';

/**
 * Keeps a slow body alive. The library closes connections that bring less than 16 KiB a second over
 * its ten seconds (thirty in newer builds). A pause and resume restarts that time, which is done as
 * long as bytes arrive.
 */
export class Patience {
  private readonly res: HttpResponse;
  private bytes = 0;
  private since = performance.now();

  constructor(res: HttpResponse) {
    this.res = res;
  }

  /** Called when bytes have arrived. */
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
