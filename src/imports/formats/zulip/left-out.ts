import { type HistoryRow, skipped } from '../../history.ts';

const OF_PEOPLE = 'Settings of people do not come along.';
const OF_REALM = 'Settings of the organization do not come along.';

/** Tables that do not come along: what a row of them is, and why it is left out. */
const LEFT_OUT: Readonly<Record<string, readonly [what: string, why: string]>> = {
  zerver_usertopic: ['muted or followed topic', OF_PEOPLE],
  zerver_muteduser: ['muted user', OF_PEOPLE],
  zerver_alertword: ['alert word', OF_PEOPLE],
  zerver_userstatus: ['status', OF_PEOPLE],
  zerver_savedsnippet: ['saved snippet', OF_PEOPLE],
  zerver_draft: ['draft', OF_PEOPLE],
  zerver_scheduledmessage: ['scheduled message', 'It would be sent twice.'],
  zerver_customprofilefield: ['profile field', OF_REALM],
  zerver_customprofilefieldvalue: ['value of a profile field', 'Profile fields do not come along.'],
  zerver_realmfilter: ['linkifier', OF_REALM],
  zerver_realmplayground: ['playground', OF_REALM],
  zerver_realmdomain: ['domain of mail addresses', OF_REALM],
  zerver_defaultstream: ['default channel', OF_REALM],
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
