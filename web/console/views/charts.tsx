import { effect } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import { shown } from '../format.ts';
import type { Plot } from '../plots.ts';
import { indexOf, samples, series } from '../store/live.ts';

const CHARTS: readonly {
  readonly title: string;
  readonly names: readonly string[];
  readonly isLog?: boolean;
}[] = [
  { title: 'Throughput', names: ['sends', 'deliveries', 'requests', 'events'] },
  { title: 'Times', names: ['commit50', 'commit99', 'delivery99', 'answer99'], isLog: true },
  { title: 'Connections', names: ['sockets', 'polls', 'behind'] },
  { title: 'Event queues', names: ['attached', 'detached'] },
  { title: 'CPU', names: ['cpu'] },
  { title: 'Memory', names: ['rss', 'heap'] },
  { title: 'Event log and stores', names: ['logBytes', 'storeBytes'] },
  { title: 'Waiting', names: ['waiting', 'outbox'] },
  { title: 'Refusals', names: ['refused', 'failed', 'limited'] },
];

/** The last quarter of an hour. */
export function ChartsView() {
  if (series.value.length === 0) return <p class="faint">Loading …</p>;
  return (
    <div class="charts">
      {CHARTS.map((chart) => (
        <Chart key={chart.title} {...chart} />
      ))}
    </div>
  );
}

function Chart({ title, names, isLog = false }: (typeof CHARTS)[number]) {
  const place = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState<number | null>(null);
  const specs = names.map((name) => series.value.find((one) => one.name === name));
  const unit = specs[0]?.unit ?? 'number';
  useEffect(() => {
    let plot: Plot | undefined;
    let isOver = false;
    let stop = () => {};
    // The library is half of the page, so it is loaded when charts are looked at.
    void import('../plots.ts').then(({ openPlot }) => {
      const { current } = place;
      if (isOver || current === null) return;
      const opened = openPlot(current, { lines: names.length, unit, isLog, onCursor: setAt });
      plot = opened;
      stop = effect(() => {
        const columns = [0, ...names.map(indexOf)];
        opened.draw(columns.map((column) => samples.value.map((sample) => sample[column] ?? null)));
      });
    });
    return () => {
      isOver = true;
      stop();
      plot?.close();
    };
  }, []);
  const sample = at === null ? samples.value.at(-1) : samples.value[at];
  return (
    <figure>
      <figcaption>{title}</figcaption>
      <ul class="keys">
        {specs.map((spec, line) =>
          spec === undefined ? null : (
            <li key={spec.name} class={`line-${line}`}>
              {spec.label} <b>{shown(sample?.[indexOf(spec.name)], spec.unit)}</b>
            </li>
          ),
        )}
      </ul>
      <div class="plot" ref={place} />
    </figure>
  );
}
