import { Presets, SingleBar } from 'cli-progress';
import type { Progress } from '../running/run-import.ts';

/** Shows how far an import is until it has ended. */
export interface Shown {
  note(progress: Progress): void;
  stop(): void;
}

/** Milliseconds between two lines where nothing can be drawn again, as in a log. */
const LINE_EVERY_MS = 5_000;
const DRAWN_EVERY_MS = 200;

/**
 * Shows it on standard error: as a bar on a terminal, else in a line now and then. The archive is
 * read first, and how long that takes is not known; then each message is written.
 */
export function showProgress(
  out: NodeJS.WriteStream = process.stderr,
  clockMs: () => number = () => performance.now(),
): Shown {
  const pace = openPace(clockMs);
  let shownAt = clockMs();
  const isDue = (everyMs: number) => {
    const now = clockMs();
    if (now - shownAt < everyMs) return false;
    shownAt = now;
    return true;
  };
  if (out.isTTY) return onTerminal(out, pace, () => isDue(DRAWN_EVERY_MS));
  return {
    note(progress) {
      pace.note(progress);
      if (isDue(LINE_EVERY_MS)) out.write(`confab: ${pace.line(progress)}\n`);
    },
    stop: () => undefined,
  };
}

function onTerminal(out: NodeJS.WriteStream, pace: Pace, isDue: () => boolean): Shown {
  let bar: SingleBar | undefined;
  const erased = '\r\u001b[K';
  let last: Progress | undefined;
  const drawn = ({ read, done }: Progress) => {
    if (bar === undefined) {
      out.write(erased);
      bar = new SingleBar(
        {
          format: '{bar} {percentage}% | {counts}',
          stream: out,
          barsize: 24,
          // A terminal is left as it was, should the command be killed; longer lines are cut.
          linewrap: true,
        },
        Presets.shades_classic,
      );
      bar.start(read, done, { counts: pace.line({ read, done }) });
    }
    bar.update(done, { counts: pace.line({ read, done }) });
  };
  return {
    note(progress) {
      pace.note(progress);
      last = progress;
      if (!isDue()) return;
      if (progress.done > 0) drawn(progress);
      else out.write(`${erased}${pace.line(progress)}`);
    },
    stop() {
      if (last !== undefined && last.done > 0) drawn(last);
      if (bar === undefined) out.write(erased);
      bar?.stop();
    },
  };
}

type Pace = ReturnType<typeof openPace>;

const counted = (count: number) => count.toLocaleString('en-US');

/** Knows how many messages are written a second, and says how far an import is. */
function openPace(clockMs: () => number) {
  let begunAt: number | undefined;
  return {
    note({ done }: Progress) {
      if (done > 0) begunAt ??= clockMs();
    },
    line({ read, done }: Progress): string {
      if (done === 0) return `reads the archive: ${counted(read)} messages`;
      const seconds = (clockMs() - (begunAt ?? clockMs())) / 1_000;
      const perSecond = seconds > 0 ? done / seconds : 0;
      const left = perSecond > 0 ? ` | ${timeText((read - done) / perSecond)} left` : '';
      const rate = `${counted(Math.round(perSecond))} a second`;
      return `${counted(done)} of ${counted(read)} messages | ${rate}${left}`;
    },
  };
}

function timeText(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const minutes = Math.floor(whole / 60);
  return minutes === 0 ? `${whole} s` : `${minutes} min ${whole % 60} s`;
}
