import type { Realms } from '../../admin/deployment.ts';
import { CONSOLE_ROWS_MAX } from '../../domain/limits/operator.ts';
import * as errors from '../../domain/wire/errors.ts';
import { MAIL_IN_RESULTS, OUTBOX_KINDS } from '../../metrics/labels.ts';
import type { Recorders } from '../../metrics/recorders.ts';
import * as outbox from '../../operations/access/outbox.ts';
import type { OutboxEntry, OutboxView } from '../wire.ts';

/**
 * Lists what has not left the server yet, the entries that are due first in front. What was given
 * up is only counted: its row is gone.
 */
export function outboxView(
  realms: Realms,
  { outbox: record, mailsIn }: Pick<Recorders, 'outbox' | 'mailsIn'>,
): OutboxView {
  const waiting = new Map<string, number>();
  const entries: OutboxEntry[] = [];
  let isCut = false;
  for (const realm of realms.all()) {
    if (!realm.isOpen()) continue;
    const now = realm.now();
    let read = 0;
    for (const [[dueAt, id], row] of realm.reader.outbox.range({ limit: CONSOLE_ROWS_MAX + 1 })) {
      read += 1;
      if (read > CONSOLE_ROWS_MAX) isCut = true;
      else {
        const { kind, attempts, leasedBy } = row;
        waiting.set(kind, (waiting.get(kind) ?? 0) + 1);
        const state = stateOf({ attempts, isLeased: leasedBy !== null && dueAt > now });
        entries.push({ realm: realm.stringId, id, kind, attempts, dueAt, state });
      }
    }
  }
  entries.sort((one, other) => one.dueAt - other.dueAt);
  return {
    kinds: OUTBOX_KINDS.map((kind) => {
      const { delivered, retried, 'given up': givenUp } = record[kind].results;
      return { kind, waiting: waiting.get(kind) ?? 0, delivered, retried, givenUp };
    }),
    mailsIn:
      realms.settings.mailIn === null
        ? []
        : MAIL_IN_RESULTS.map((result) => ({ result, count: mailsIn.results[result] })),
    entries: entries.slice(0, CONSOLE_ROWS_MAX),
    isCut: isCut || entries.length > CONSOLE_ROWS_MAX,
  };
}

const stateOf = ({ attempts, isLeased }: { attempts: number; isLeased: boolean }) => {
  if (isLeased) return 'under way';
  return attempts > 0 ? 'failed' : 'waiting';
};

/** Makes an entry due now, which waits for its next attempt. */
export async function retryNow(
  realms: Realms,
  {
    realm: name,
    id,
    dueAt,
  }: { readonly realm: string; readonly id: number; readonly dueAt: number },
): Promise<void> {
  const realm = realms.named(name);
  const isMoved = await realm?.perform((tx) => {
    if (!outbox.hasten(tx, [dueAt, id])) return false;
    tx.actAs('operator');
    const after = { due_at: tx.now };
    tx.audit({ kind: 'outbox_entry', op: 'update', target: id, after });
    return true;
  });
  if (isMoved !== true) throw errors.badRequest('The entry is not waiting any more');
}
