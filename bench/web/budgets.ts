/** A figure that the web client must keep to. */
export interface Budget {
  /** The name of the figure in the code. */
  readonly key: string;
  /** Says to readers what is measured. */
  readonly what: string;
  readonly max: number;
  readonly unit: 'KiB' | 'requests' | 'elements' | 'ms' | 'MiB' | 'bytes' | '% of a core' | '';
  /**
   * How the machine enters the figure: as CPU time or as time on the clock, both of which are held
   * to the calibration loop of the same run, or not at all. Waiting for a network is not scaled.
   */
  readonly scaledBy: 'cpu' | 'clock' | 'nothing';
  /** The design has no bound for it; the one here was chosen for a figure that people notice. */
  readonly isOwn?: boolean;
}

/** All budgets of the web client, in the order of the page that has their figures. */
export const BUDGETS = [
  {
    key: 'firstLoadBytes',
    what: 'first load: document, style and scripts, as brotli',
    max: 45,
    unit: 'KiB',
    scaledBy: 'nothing',
  },
  {
    key: 'firstLoadRequests',
    what: 'first load: requests for them',
    max: 3,
    unit: 'requests',
    scaledBy: 'nothing',
  },
  {
    key: 'firstMessageBytes',
    what: 'the same until the first message shows',
    max: 45,
    unit: 'KiB',
    scaledBy: 'nothing',
  },
  {
    key: 'firstMessageRequests',
    what: 'requests for them until the first message shows',
    max: 3,
    unit: 'requests',
    scaledBy: 'nothing',
  },
  {
    key: 'lazyPartBytes',
    what: 'the largest part that is loaded later',
    max: 25,
    unit: 'KiB',
    scaledBy: 'nothing',
  },
  {
    key: 'firstMessageScript',
    what: 'script until the first message shows',
    max: 60,
    unit: 'ms',
    scaledBy: 'cpu',
  },
  {
    key: 'registerBytes',
    what: 'register reply with 1,000 people and 500 channels, compressed',
    max: 60,
    unit: 'KiB',
    scaledBy: 'nothing',
  },
  {
    key: 'warmMs',
    what: 'from the address to the first message, on this machine, with a warm cache',
    max: 300,
    unit: 'ms',
    scaledBy: 'clock',
  },
  {
    key: 'slowMs',
    what: 'the same with an empty cache, on slow 4G and a quarter of the processor',
    max: 2_000,
    unit: 'ms',
    scaledBy: 'nothing',
  },
  {
    key: 'loadedNarrowScript',
    what: 'going to a topic that is loaded: script',
    max: 16,
    unit: 'ms',
    scaledBy: 'cpu',
  },
  {
    key: 'freshNarrowScript',
    what: 'going to another topic: what comes on top of one round trip, until its first rows show',
    max: 16,
    unit: 'ms',
    scaledBy: 'cpu',
  },
  {
    key: 'scrollScript',
    what: 'scrolling through 100,000 messages: script a frame',
    max: 4,
    unit: 'ms',
    scaledBy: 'cpu',
  },
  {
    key: 'pageElements',
    what: 'elements of the whole page meanwhile, at most',
    max: 600,
    unit: 'elements',
    scaledBy: 'nothing',
  },
  { key: 'longestTask', what: 'the longest task meanwhile', max: 50, unit: 'ms', scaledBy: 'cpu' },
  {
    key: 'heap',
    what: 'heap after 72,000 new messages, an hour of 20 a second',
    max: 60,
    unit: 'MiB',
    scaledBy: 'nothing',
  },
  {
    key: 'heapSlope',
    what: 'what each further message adds to the heap once the window is full',
    max: 16,
    unit: 'bytes',
    scaledBy: 'nothing',
  },
  {
    key: 'keystrokeScript',
    what: 'a key in the field while names are offered: script, 95 of 100 keys',
    max: 8,
    unit: 'ms',
    scaledBy: 'cpu',
  },
  {
    key: 'incoming',
    what: '50 events a second for a minute: script, style and layout',
    max: 5,
    unit: '% of a core',
    scaledBy: 'cpu',
  },
  {
    key: 'keyWhileIncoming',
    what: 'a key while 50 events a second come, until it is painted: 95 of 100 keys',
    max: 50,
    unit: 'ms',
    scaledBy: 'nothing',
    isOwn: true,
  },
  {
    key: 'layoutShift',
    what: 'layout that jumps while the page loads (cumulative layout shift)',
    max: 0.05,
    unit: '',
    scaledBy: 'nothing',
    isOwn: true,
  },
] as const satisfies readonly Budget[];

export type BudgetKey = (typeof BUDGETS)[number]['key'];
