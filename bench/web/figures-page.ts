import { BUDGETS, type Budget } from './budgets.ts';
import { QUIET_MS } from './calibration.ts';
import type { Measured } from './measure.ts';

/** A run of the program, with all that its figures depend on. */
export interface BudgetRun {
  /** As an ISO date. */
  readonly day: string;
  readonly commit: string;
  readonly machine: string;
  readonly browser: string;
  /** The source of the messages. */
  readonly corpus: string;
  readonly minutes: number;
  readonly found: readonly Measured[];
}

const BEGIN = '<!-- figures: begin (npm run web-budgets) -->';
const END = '<!-- figures: end -->';

/** Returns the page with the figures of a run in the place of those before; the preface stays. */
export function withFigures(page: string, run: BudgetRun): string {
  const begin = page.indexOf(BEGIN);
  const end = page.indexOf(END);
  if (begin === -1 || end < begin) throw new Error(`the page has no place between ${BEGIN}`);
  return `${page.slice(0, begin + BEGIN.length)}\n\n${figuresOf(run)}\n\n${page.slice(end)}`;
}

/** Returns a figure as it would be on a quiet core of the machine that the budgets were set on. */
export function quietly(budget: Budget, { value, calibration }: Measured): number {
  if (budget.scaledBy === 'nothing') return value;
  const ms = budget.scaledBy === 'cpu' ? calibration.cpuMs : calibration.clockMs;
  return (value * QUIET_MS) / ms;
}

export const holds = (budget: Budget, measured: Measured): boolean =>
  // The number that is shown decides: a row that says 4.0 of 4 would be odd if it did not hold.
  Number(shownNumber(quietly(budget, measured))) <= budget.max;

function figuresOf(run: BudgetRun): string {
  const loops = run.found.map(({ calibration }) => calibration.cpuMs);
  const [least, most] = [Math.min(...loops), Math.max(...loops)];
  const missed = BUDGETS.filter((budget) => {
    const measured = run.found.find(({ key }) => key === budget.key);
    return measured === undefined || !holds(budget, measured);
  });
  return [
    `Measured on ${run.day} at ${run.commit} in ${run.minutes} minutes: ${run.machine}, ${run.browser}, ${run.corpus}.`,
    `The calibration loop took ${shownNumber(least)} to ${shownNumber(most)} ms of CPU time, and ${QUIET_MS} ms on the quiet machine.`,
    `${BUDGETS.length - missed.length} of ${BUDGETS.length} budgets hold.`,
    '',
    tableOf(run),
  ].join('\n');
}

function tableOf({ found }: BudgetRun): string {
  const rows = BUDGETS.map((budget) => {
    const measured = found.find(({ key }) => key === budget.key);
    const max = `${budget.max.toLocaleString('en')} ${budget.unit}`.trim();
    const own = 'isOwn' in budget ? ' (our own bound)' : '';
    if (measured === undefined) return [budget.what + own, max, 'not measured', '', 'no', ''];
    return [
      budget.what + own,
      max,
      shownNumber(measured.value),
      shownNumber(quietly(budget, measured)),
      holds(budget, measured) ? 'yes' : '**no**',
      measured.note,
    ];
  });
  const head = ['what', 'budget', 'measured', 'on a quiet core', 'holds', 'seen with it'];
  const all = [head, head.map(() => '---'), ...rows];
  return all.map((cells) => `| ${cells.map(inCell).join(' | ')} |`).join('\n');
}

const inCell = (text: string) => text.replaceAll('|', '/');

/** Three digits say all that a figure of a run is good for. */
function shownNumber(value: number): string {
  if (Number.isInteger(value)) return String(value);
  return Math.abs(value) >= 100 ? value.toFixed(0) : value.toFixed(Math.abs(value) < 1 ? 3 : 1);
}
