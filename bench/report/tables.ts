import type { Comparison } from '../suite/comparison.ts';
import type { BenchmarkResult, Figure, TargetOutcome } from '../suite/results.ts';
import { serversIn } from '../suite/servers.ts';
import { median } from '../suite/statistics.ts';
import { comparedTable, type Table, usageTable } from '../suite/tables.ts';
import { gathered } from '../suite/targets.ts';
import { numberText, percentText, timeText } from '../suite/texts.ts';
import { type Html, html } from './html.ts';

export function marksSection(benchmarks: readonly BenchmarkResult[]): Html {
  const targets = benchmarks.flatMap(({ name, targets: own }) =>
    own.map((target) => ({ benchmark: name, ...target })),
  );
  if (targets.length === 0) return html``;
  const worst = benchmarks.flatMap(({ name, targets: own }) =>
    gathered(own).map((one) => ({
      benchmark: name,
      ...one.worst,
      verdict: one.count > 1 ? `${one.met} of ${one.count} met` : undefined,
      isMet: one.met === one.count,
    })),
  );
  const met = targets.filter(({ isMet }) => isMet).length;
  return html`<section id="targets">
<h2>Targets: ${met} of ${targets.length} met</h2>
<p>What this release set out to reach, each with the case that is furthest from it. Ratios are medians over the repeats,
each of two measurements of the same moment.</p>
${targetsTable(worst)}
<details><summary>Each case by itself</summary>${targetsTable(targets)}</details>
</section>`;
}

interface TargetLine extends TargetOutcome {
  readonly benchmark: string;
  readonly verdict?: string | undefined;
}

const targetsTable = (targets: readonly TargetLine[]): Html =>
  htmlTable(
    ['benchmark', 'target', 'case', 'measured', 'expected', 'verdict'],
    targets.map(({ benchmark, verdict, name, case: of, got, expected, isMet }) => ({
      cells: [html`<a href="#${benchmark}">${benchmark}</a>`, name, of, got, expected],
      verdict: verdict ?? (isMet ? 'met' : 'missed'),
      mark: isMet ? 'good' : 'bad',
    })),
  );

interface Row {
  readonly cells: readonly (Html | string)[];
  readonly verdict: string;
  readonly mark?: 'good' | 'bad' | '';
}

/** Columns of numbers are to the right. */
function htmlTable(head: readonly string[], rows: readonly Row[]): Html {
  const isNumber = head.map((_, column) =>
    rows.every(({ cells }) => /^([-+]?\d|–|$)/.test(String(cells[column]))),
  );
  const classOf = (column: number) => (isNumber[column] ? 'number' : '');
  return html`<div class="scroll"><table>
<thead><tr>${head.map((title, column) => html`<th class="${classOf(column)}">${title}</th>`)}</tr></thead>
<tbody>${rows.map(
    ({ cells, verdict, mark = '' }) => html`<tr class="${mark}">
${cells.map((cell, column) => html`<td class="${classOf(column)}">${cell}</td>`)}
<td class="verdict">${verdict}</td></tr>`,
  )}</tbody></table></div>`;
}

const MARKS: Readonly<Record<string, Row['mark']>> = { worse: 'bad', better: 'good' };

/** A table whose last column is a verdict. */
const judged = ({ head, rows }: Table): Html =>
  htmlTable(
    head,
    rows.map((row) => {
      const verdict = row.at(-1) ?? '';
      return { cells: row.slice(0, -1), verdict, mark: MARKS[verdict] ?? '' };
    }),
  );

export function comparisonSection({ before, isSameMachine, figures, missing }: Comparison): Html {
  const told = figures.filter(({ verdict }) => verdict === 'worse' || verdict === 'better');
  return html`<section id="comparison">
<h2>Against ${before.commit} of ${before.startedAt.slice(0, 10)}</h2>
<p>Worse or better is what lies beyond the spread of the repeats: no repeat of one run reaches any of the other. Where both
have a baseline, its part of the baseline decides. ${isSameMachine ? '' : html`<b>The runs are of different machines: only parts of the baseline can be compared.</b>`}</p>
<p>${told.length} of ${figures.length} figures differ${missing.length > 0 ? `; ${missing.length} are new` : ''}.</p>
${judged(comparedTable(told))}
<details><summary>All ${figures.length}</summary>${judged(comparedTable(figures))}</details>
</section>`;
}

export function benchmarkSection(result: BenchmarkResult): Html {
  const metrics = [...new Set(result.figures.map(({ metric }) => metric))];
  return html`<section id="${result.name}" data-benchmark="${result.name}">
<h2>${result.name}</h2>
<p class="lead">${result.summary}</p>
<p>${result.description}</p>
${result.faults.map((fault) => html`<p class="fault"><b>Failed:</b> ${fault}</p>`)}
${limits(result)}
${result.notes.map((note) => html`<p class="note">${note}</p>`)}
<div class="curves"></div>
<h3>Figures</h3>
${metrics.map((metric) => metricTable(result, metric))}
<details><summary>CPU time and memory beside each case</summary>
<p class="small">Medians of the repeats. The generator's CPU time is not in the server's.</p>
${judged(usageTable(result.usages))}</details>
<div class="cases"></div>
<p class="small">Options: ${Object.entries(result.options)
    .map(([name, text]) => `--${name} ${text}`)
    .join(' ')}; took ${timeText(result.seconds)}.</p>
</section>`;
}

function limits({ usages }: BenchmarkResult): Html {
  const limited = usages.filter(({ isGeneratorTheLimit }) => isGeneratorTheLimit);
  if (limited.length === 0) return html``;
  return html`<p class="warning">The load generator, and not the server, was the limit in: ${limited
    .map(({ case: name, server }) => `${name} (${server})`)
    .join(
      '; ',
    )}. Figures on the clock are the generator's there; those by CPU time are not touched by it.</p>`;
}

function metricTable({ figures, metrics }: BenchmarkResult, metric: string): Html {
  const own = figures.filter((figure) => figure.metric === metric);
  const servers = serversIn(own);
  const cases = [...new Set(own.map((figure) => figure.case))];
  const hasBaseline = own.some(({ ofBaseline }) => ofBaseline !== undefined);
  const largest = Math.max(...own.map((figure) => figure.median));
  const [first] = own;
  return html`<h4>${metric}, ${first?.unit ?? ''}</h4>
<p class="small">${metrics[metric] ?? ''} ${first?.better === 'higher' ? 'More is better.' : 'Less is better.'}</p>
<div class="scroll"><table>
<thead><tr><th>case</th>${servers.map((server) => html`<th class="number">${server}</th>`)}
${hasBaseline ? html`<th class="number">of the baseline</th>` : []}</tr></thead>
<tbody>${cases.map((name) => {
    const ofCase = own.filter((figure) => figure.case === name);
    return html`<tr><td>${name}</td>${servers.map((server) =>
      figureCell(
        ofCase.find((figure) => figure.server === server),
        largest,
      ),
    )}${hasBaseline ? ratioCell(ofCase) : []}</tr>`;
  })}</tbody></table></div>`;
}

function figureCell(figure: Figure | undefined, largest: number): Html {
  if (figure === undefined) return html`<td></td>`;
  const part = largest > 0 ? Math.max(0, figure.median / largest) : 0;
  const spread = figure.values.length > 1 ? `± ${percentText(figure.spread / 2)}` : '';
  const title = `each repeat: ${figure.values.map(numberText).join(', ')}`;
  return html`<td class="number" title="${title}">
<span class="bar ${figure.server}" style="width:${(part * 100).toFixed(1)}%"></span>
${numberText(figure.median)} <span class="spread">${spread}</span></td>`;
}

function ratioCell(figures: readonly Figure[]): Html {
  const ofBaseline = figures.find(({ server }) => server === 'confab')?.ofBaseline;
  if (ofBaseline === undefined) return html`<td></td>`;
  return html`<td class="number" title="each repeat: ${ofBaseline.map(numberText).join(', ')}"><b>${numberText(median(ofBaseline))}</b></td>`;
}
