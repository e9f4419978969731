import type { ComparedFigure } from './comparison.ts';
import type { UsageOfCase } from './results.ts';
import { median } from './statistics.ts';
import { numberText } from './texts.ts';

// The terminal and the report show these tables.

/** The last column is a verdict, and empty where there is none. */
export interface Table {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

const MIB = 1024 * 1024;

/** CPU time and memory of the processes, a row for each case and server. */
export function usageTable(usages: readonly UsageOfCase[]): Table {
  const middle = (values: readonly number[] | undefined, divisor = 1) =>
    values === undefined || values.length === 0 ? '–' : numberText(median(values) / divisor);
  return {
    head: [
      ...['case', 'server', 'seconds'],
      ...['server CPU s', 'generator CPU s', 'server peak MiB', 'limit'],
    ],
    rows: usages.map((one) => [
      one.case,
      one.server,
      middle(one.seconds),
      middle(one.serverCpuSeconds),
      middle(one.generatorCpuSeconds),
      middle(one.serverPeakBytes, MIB),
      one.isGeneratorTheLimit ? 'generator at its limit' : '',
    ]),
  };
}

/** Figures beside those of an older run. */
export const comparedTable = (figures: readonly ComparedFigure[]): Table => ({
  head: ['benchmark', 'case', 'figure', 'before', 'now', 'ratio', 'of baseline', 'now', 'verdict'],
  rows: figures.map(({ ofBaseline, ...one }) => [
    one.benchmark,
    one.case,
    one.metric,
    ...[one.before, one.now, one.ratio].map(numberText),
    ...(ofBaseline ? [ofBaseline.before, ofBaseline.now].map(numberText) : ['', '']),
    one.verdict,
  ]),
});
