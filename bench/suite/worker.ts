import { benchmarkCalled } from '../benchmarks/index.ts';
import { endOnSignals } from '../servers/belongings.ts';
import type { Order, Report } from './benchmark-process.ts';
import { createRecorder } from './recorder.ts';

// The process of one benchmark: it measures, and ends. Servers, load processes and directories that
// it started end with it (servers/belongings.ts), so a benchmark need not stop what it uses to its
// end.

const tell = (report: Report) =>
  new Promise<void>((resolve) => process.send?.(report, undefined, undefined, () => resolve()));

async function perform({ name, setting, written }: Order): Promise<void> {
  const benchmark = benchmarkCalled(name);
  const recorder = createRecorder({ benchmark, setting, written }, (step) => void tell({ step }));
  try {
    await benchmark.run(recorder.bench, written);
  } catch (error) {
    // Figures that were measured before are kept, and the run goes on with the next benchmark.
    const text = error instanceof Error ? error.message : String(error);
    recorder.bench.fault(`it did not come to its end: ${text}`);
  }
  await tell({ result: recorder.result() });
  // Not by itself: servers and load processes of a benchmark that failed would keep it.
  process.exit();
}

process.once('message', (order: Order) => void perform(order));
// By an exit of its own, at which servers are ended and their data removed.
process.on('disconnect', () => process.exit());
endOnSignals();
