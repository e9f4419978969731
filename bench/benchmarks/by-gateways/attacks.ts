import { ATTACKS } from '../../fixtures/attacks.ts';
import { alternating } from '../../suite/statistics.ts';
import { longestWait, openAttacked, QUIETLY } from '../stalls.ts';
import { caseOf, type Part } from './case.ts';

interface Options {
  readonly gateways: readonly number[];
  readonly stored: number;
  readonly rate: number;
}

type Metric = 'longest wait' | 'send p99' | 'poll p99' | 'server CPU' | 'server peak';

/** Reads, which gateways do by themselves. */
const READS = ['pages', 'searches'];

/** Somebody asks for what is dear in one realm, while another one sends and polls. */
export async function compareAttacks(context: Part<Options, Metric>): Promise<void> {
  const { options, setting, measure, doing } = context;
  const attacks = [QUIETLY, ...ATTACKS.filter(({ name }) => READS.includes(name))];
  const sides = [];
  for (const gateways of options.gateways) {
    doing(`${options.stored} long messages`);
    sides.push({ gateways, running: await openAttacked(setting, options.stored, gateways) });
  }
  for (const { gateways, running } of alternating(sides, setting.repeats)) {
    for (const { name, run } of attacks) {
      const { rate } = options;
      await longestWait({ measure }, running, { case: caseOf(name, gateways), run, rate });
    }
  }
}
