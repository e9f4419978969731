import type { ClosedLoop } from '../load/send.ts';
import type { Setting } from '../suite/context.ts';
import { type Loaded, loaded } from './subject.ts';

// A server that runs for days has its paths compiled and its heap grown: what is measured shall be that server, and not the
// first second of a process. Both sides are warmed alike.

/** Of the realm that is measured: one that nobody listens to. */
export const WARM_UP_CHANNEL = 'warm-up';

/** Together until the cost of a send falls no more, and one by one until that of a commit does: what was measured is in README.md. */
const PHASES = [
  { inFlight: 64, messages: 6_000 },
  { inFlight: 1, messages: 3_000 },
] as const;
/** Of each, where a disk or a busy machine is slow. */
const PHASE_SECONDS_MAX = 6;
const CASE_MESSAGES = 1_000;
const CASE_SECONDS_MAX = 0.5;
/** Of what `--quick` does: enough to see that it works. */
const QUICK_PART = 0.05;

const shortened = ({ isQuick }: Setting, amount: number) =>
  isQuick ? QUICK_PART * amount : amount;

/** Many sends, before anybody listens: the path of a send compiles, at no cost for each listener. */
export const warmSends = async (subject: Loaded, setting: Setting): Promise<void> => {
  for (const { inFlight, messages } of PHASES) {
    const sends = {
      inFlight,
      messages: shortened(setting, messages),
      seconds: shortened(setting, PHASE_SECONDS_MAX),
    };
    await loaded(subject, subject.load.ask('warmUp', sends));
  }
};

/** A short run of the very case: what belongs to it alone, as deliveries and polls, compiles as well. */
export const warmCase = async (
  subject: Loaded,
  setting: Setting,
  loop: Pick<ClosedLoop, 'inFlight' | 'until' | 'via'>,
): Promise<void> => {
  const run = {
    ...loop,
    messages: shortened(setting, CASE_MESSAGES),
    seconds: shortened(setting, CASE_SECONDS_MAX),
  };
  await loaded(subject, subject.load.ask('closedLoop', run));
};
