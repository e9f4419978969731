import { Presets, SingleBar } from 'cli-progress';
import type { Step } from '../suite/recorder.ts';
import { timeText } from '../suite/texts.ts';

interface Planned {
  readonly name: string;
  /** About how long it takes, by its own word. */
  readonly seconds: number;
}

interface RunProgress {
  readonly begin: (name: string) => void;
  readonly step: (step: Step) => void;
  readonly end: () => void;
  readonly stop: () => void;
}

const PARTS = 1000;
// On a terminal the bar is redrawn; in a log it is a line now and then.
const LOG_LINE_EVERY_MS = 10_000;

/** Shows the running case, how much of all is done, and how long the rest will take. */
export function showProgress(planned: readonly Planned[]): RunProgress {
  const startMs = performance.now();
  let beforeSeconds = 0;
  let current: Planned | undefined;
  let step: Step = { done: 0, expected: 1, doing: '' };
  const bar = new SingleBar(
    {
      format: '{bar} {percentage}% | {left} left | {benchmark} | {doing}',
      noTTYOutput: true,
      notTTYSchedule: LOG_LINE_EVERY_MS,
      hideCursor: true,
      barsize: 24,
      linewrap: false,
    },
    Presets.shades_classic,
  );
  const total = planned.reduce((sum, { seconds }) => sum + seconds, 0);
  const show = () => {
    const part = current === undefined ? 0 : Math.min(1, step.done / step.expected);
    const doneSeconds = beforeSeconds + part * (current?.seconds ?? 0);
    const elapsedSeconds = (performance.now() - startMs) / 1000;
    const left = secondsLeft({ doneSeconds, totalSeconds: total, elapsedSeconds });
    const payload = {
      left: timeText(left),
      benchmark: current?.name ?? '',
      doing: step.doing,
    };
    bar.update(Math.round((PARTS * doneSeconds) / total), payload);
  };
  bar.start(PARTS, 0, { left: timeText(total), benchmark: '', doing: '' });
  return {
    begin: (name) => {
      current = planned.find((one) => one.name === name);
      step = { done: 0, expected: 1, doing: 'starts' };
      show();
    },
    step: (next) => {
      step = next;
      show();
    },
    end: () => {
      beforeSeconds += current?.seconds ?? 0;
      current = undefined;
      show();
    },
    stop: () => bar.stop(),
  };
}

// So much must be done before this machine's own speed is believed.
const BELIEVED_SECONDS = 20;

/** The planned rest is stretched by the same factor as the part that is done. */
export function secondsLeft(of: {
  readonly doneSeconds: number;
  readonly totalSeconds: number;
  readonly elapsedSeconds: number;
}): number {
  const left = of.totalSeconds - of.doneSeconds;
  if (of.doneSeconds < BELIEVED_SECONDS) return left;
  return left * (of.elapsedSeconds / of.doneSeconds);
}
