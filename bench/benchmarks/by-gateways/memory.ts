import { settled } from '../../fixtures/resting.ts';
import { attach, confabSubject } from '../../fixtures/subject.ts';
import { openInspector } from '../../servers/inspector.ts';
import { proportionalBytes } from '../../servers/process-usage.ts';
import { caseOf, type Part } from './case.ts';

interface Options {
  readonly gateways: readonly number[];
  readonly resting: number;
}

type Metric = 'memory' | 'memory each';

const KB = 1024;
const MB = 1024 * 1024;
/** So many of all sockets come before the reading: what first use needs is not counted. */
const WARM_UP_PART = 0.2;

/** The memory of all processes together, without clients and with open sockets. */
export async function compareMemory(context: Part<Options, Metric>): Promise<void> {
  const { options, setting, measure, doing } = context;
  for (let repeat = 0; repeat < setting.repeats; repeat++) {
    for (const gateways of options.gateways) {
      doing('a server starts');
      const shape = { size: options.resting };
      const subject = await confabSubject(setting, shape, { gateways, hasInspector: true });
      const { server, pids, load } = subject;
      const { pid } = server;
      if (pid === undefined) throw new Error('the server has no process');
      const inspectors = await Promise.all((server.inspectorUrls ?? []).map(openInspector));
      const read = () => settled(inspectors, () => proportionalBytes(pid));
      await measure({
        case: caseOf(`${options.resting} users, nobody connected`, gateways),
        server: server.name,
        pids,
        run: read,
        figures: (bytes) => ({ memory: bytes / MB }),
      });
      const plans = subject.audience.listeners('socket');
      const first = Math.floor(plans.length * WARM_UP_PART);
      await attach(subject, plans.slice(0, first));
      const before = await read();
      await measure({
        case: caseOf(`${options.resting} open sockets`, gateways),
        server: server.name,
        pids,
        run: async () => {
          await attach(subject, plans.slice(first));
          return await read();
        },
        figures: (bytes) => ({ 'memory each': (bytes - before) / (plans.length - first) / KB }),
      });
      load.stop();
      await server.stop('SIGKILL');
    }
  }
}
