import type { Browser, Page } from 'playwright-core';

/** An event of a trace of Chromium, as far as it is read here; times are microseconds. */
export interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  readonly ts: number;
  readonly dur?: number;
  /** CPU time of the thread, without what other programs took meanwhile. */
  readonly tdur?: number;
  readonly args?: {
    readonly params?: { readonly opcode?: number; readonly payload_length?: number };
  };
}

/** CPU time of the main thread of a page by what it was spent on, in milliseconds. */
export interface Work {
  readonly script: number;
  readonly style: number;
  readonly layout: number;
  /** Paint, parsing of HTML, and the browser's own work. */
  readonly other: number;
  /** The longest task. */
  readonly longestTask: number;
}

const CATEGORIES = [
  'devtools.timeline',
  'disabled-by-default-devtools.timeline',
  'blink.user_timing',
];

/**
 * The names of what runs scripts. Microtasks are among it, which the counters of the `Performance`
 * domain leave out, though Preact renders in them.
 */
const SCRIPT =
  /^(?:FunctionCall|EvaluateScript|RunMicrotasks|TimerFire|FireAnimationFrame|EventDispatch|v8\.|V8\.|MinorGC|MajorGC|XHR|FireIdleCallback|GCEvent)/;

const kindOf = (name: string): 'script' | 'style' | 'layout' | 'other' => {
  if (SCRIPT.test(name)) return 'script';
  if (name === 'UpdateLayoutTree') return 'style';
  return name === 'Layout' ? 'layout' : 'other';
};

/**
 * Traces what a page does while `act` runs. Gives the work of each part of it: the page begins a
 * new part by `performance.mark` with a name that begins with `step`.
 */
export async function traced(
  browser: Browser,
  page: Page,
  act: () => Promise<void>,
): Promise<readonly Work[]> {
  const events = await traceOf(browser, {
    categories: CATEGORIES,
    isKept: ({ ph, name }) => ph === 'X' || name.startsWith('step'),
    act: async () => {
      await page.evaluate(`performance.mark('step')`);
      await act();
    },
  });
  return workOf(events);
}

/** Returns the events of a browser while `act` runs. */
export async function traceOf(
  browser: Browser,
  parts: {
    readonly categories: readonly string[];
    readonly isKept: (event: TraceEvent) => boolean;
    readonly act: () => Promise<void>;
  },
): Promise<readonly TraceEvent[]> {
  const { categories, isKept, act } = parts;
  const session = await browser.newBrowserCDPSession();
  const events: TraceEvent[] = [];
  session.on('Tracing.dataCollected', ({ value }) => {
    events.push(...(value as unknown as readonly TraceEvent[]).filter(isKept));
  });
  await session.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: {
      recordMode: 'recordAsMuchAsPossible',
      includedCategories: [...categories],
      excludedCategories: ['*'],
    },
  });
  await act();
  const isDone = new Promise((resolve) => session.once('Tracing.tracingComplete', resolve));
  await session.send('Tracing.end');
  await isDone;
  await session.detach();
  return events;
}

/** Splits a trace at its marks. The first part, before the page was marked, is left out. */
export function workOf(events: readonly TraceEvent[]): readonly Work[] {
  const marks = events.filter(({ name, ph }) => name.startsWith('step') && ph !== 'X');
  const [first] = marks;
  if (first === undefined) throw new Error('The trace has no mark of the page');
  const own = events
    .filter(({ pid, tid, ph }) => pid === first.pid && tid === first.tid && ph === 'X')
    .sort((one, other) => one.ts - other.ts || (other.dur ?? 0) - (one.dur ?? 0));
  const starts = marks.map(({ ts }) => ts).sort((one, other) => one - other);
  const parts = starts.map(() => ({ script: 0, style: 0, layout: 0, other: 0, longestTask: 0 }));
  let at = -1;
  const open: TraceEvent[] = [];
  for (const event of own) {
    while (event.ts >= (starts[at + 1] ?? Number.POSITIVE_INFINITY)) at += 1;
    const part = parts[at];
    if (part === undefined) continue;
    while (open.length > 0 && endOf(open.at(-1)) <= event.ts) open.pop();
    const cpu = cpuOf(event);
    const parent = open.at(-1);
    // A layout that a script forces is within it, and does not count as script.
    if (parent !== undefined) part[kindOf(parent.name)] -= cpu;
    part[kindOf(event.name)] += cpu;
    if (event.name === 'RunTask') part.longestTask = Math.max(part.longestTask, cpu);
    open.push(event);
  }
  return parts;
}

const endOf = (event: TraceEvent | undefined) => (event?.ts ?? 0) + (event?.dur ?? 0);

const cpuOf = ({ tdur, dur = 0 }: TraceEvent) => (tdur ?? dur) / 1_000;
