import { allowedSizes } from '../../fixtures/connections.ts';
import { type Restarting, restartingConfab } from '../../fixtures/restarting.ts';
import { faults } from '../../fixtures/subject.ts';
import { alternating } from '../../suite/statistics.ts';
import { measureRestart } from '../connect.ts';
import { caseOf, type Part } from './case.ts';

interface Options {
  readonly gateways: readonly number[];
  readonly returning: number;
}

type Metric = 'caught up' | 'outage' | 'send p99' | 'server CPU';

/** Sends a second: to all sockets, and to a channel of their own. */
const TO_ALL = 2;
const ASIDE = 25;

/** All sockets come back after the writer was killed, and its gateways with it. */
export async function compareRestarts(context: Part<Options, Metric>): Promise<void> {
  const { options, setting, doing } = context;
  if (allowedSizes([options.returning], context).length === 0) return;
  const sockets = options.returning;
  doing(`${sockets} users and their sockets`);
  const sides: { gateways: number; restarting: Restarting }[] = [];
  for (const gateways of options.gateways) {
    const company = { sockets, toAll: TO_ALL, aside: ASIDE };
    sides.push({ gateways, restarting: await restartingConfab(setting, company, gateways) });
  }
  for (const { gateways, restarting } of alternating(sides, setting.repeats)) {
    await measureRestart(context, restarting, {
      case: caseOf(`${sockets} sockets come back`, gateways),
      sockets,
      signal: 'SIGKILL',
    });
  }
  for (const { gateways, restarting } of sides) {
    const verdict = await restarting.listeners.ask('verdict', null);
    const name = `${sockets} sockets come back, ${gateways} gateways`;
    for (const fault of faults(name, verdict)) context.fault(fault);
  }
}
