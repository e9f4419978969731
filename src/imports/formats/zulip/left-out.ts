import { type HistoryRow, skipped } from '../../history.ts';

const OF_REALM = 'Settings of the organization do not come along.';

/** Tables that do not come along: what a row of them is, and why it is left out. */
const LEFT_OUT: Readonly<Record<string, readonly [what: string, why: string]>> = {
  zerver_draft: ['draft', 'Settings of people do not come along.'],
  zerver_navigationview: ['view of the sidebar', 'Settings of people do not come along.'],
  zerver_scheduledmessage: ['scheduled message', 'It would be sent twice.'],
  zerver_realmuserdefault: ['defaults of new people', OF_REALM],
  zerver_realmauthenticationmethod: ['way to log in', 'Ways to log in are set up here.'],
  zerver_realmdomain: ['domain of mail addresses', 'It would say who may join here.'],
  zerver_channelfolder: ['folder of channels', OF_REALM],
  zerver_service: ['address of a bot', 'Bots do not act here until somebody sets them up.'],
  zerver_botconfigdata: ['setting of a bot', 'Bots do not act here until somebody sets them up.'],
  zerver_botstoragedata: ['memory of a bot', 'Bots do not act here until somebody sets them up.'],
};

export const LEFT_OUT_TABLES = Object.keys(LEFT_OUT);

export const isLeftOut = (table: string): boolean => Object.hasOwn(LEFT_OUT, table);

/** Counts rows that are left out, for one line of the report for each kind. */
export class LeftOut {
  private readonly counts = new Map<string, number>();

  add(table: string): void {
    this.counts.set(table, (this.counts.get(table) ?? 0) + 1);
  }

  *rows(file: string): Generator<HistoryRow> {
    for (const [table, count] of this.counts) {
      const [what, why] = LEFT_OUT[table] ?? [table, OF_REALM];
      yield skipped(what, { file }, why, { count });
    }
  }
}
