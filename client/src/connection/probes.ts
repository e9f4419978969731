import type { Timing } from '../limits.ts';
import { pause } from '../pause.ts';
import type { FrameSocket } from './socket.ts';

export interface ProbesInput {
  readonly timing: Timing;
  readonly random: () => number;
  /** Opens a socket without a queue, so that it takes nothing from the polls beside it. */
  readonly open: () => FrameSocket | null;
}

/** Tries, beside polls, whether sockets open again. */
export class SocketProbes {
  private waking = new AbortController();
  private readonly input: ProbesInput;

  constructor(input: ProbesInput) {
    this.input = input;
  }

  /** Tries one now, if it waits: the network is said to be another one. */
  now() {
    this.waking.abort();
  }

  /** Tries one after the other until one has opened; false if `signal` was aborted before. */
  async untilOpen(signal: AbortSignal, { isAtOnce }: { isAtOnce: boolean }): Promise<boolean> {
    let ms = this.input.timing.probeMs;
    if (!isAtOnce) ms = await this.pauseFor(ms, signal);
    while (!signal.aborted) {
      if (await this.opens(signal)) return !signal.aborted;
      ms = await this.pauseFor(ms, signal);
    }
    return false;
  }

  /** Returns the bound of the next pause, which begins short again on another network. */
  private async pauseFor(ms: number, signal: AbortSignal): Promise<number> {
    const { timing, random } = this.input;
    const waking = new AbortController();
    const wake = () => waking.abort();
    this.waking = waking;
    signal.addEventListener('abort', wake);
    await pause(ms * (0.5 + random()), waking.signal);
    signal.removeEventListener('abort', wake);
    return waking.signal.aborted ? timing.probeMs : Math.min(ms * 2, timing.probeMaxMs);
  }

  private async opens(signal: AbortSignal): Promise<boolean> {
    const socket = this.input.open();
    if (socket === null) return false;
    const leave = () => socket.close();
    signal.addEventListener('abort', leave);
    const isOpen = await Promise.race([socket.opened, socket.ended.then(() => false)]);
    signal.removeEventListener('abort', leave);
    socket.close();
    return isOpen;
  }
}
