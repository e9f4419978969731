import type { AuditActor, AuditOp, AuditTarget, AuditValues } from '../../src/domain/wire/audit.ts';
import type { AuditKind } from '../../src/domain/wire/audit-kinds.ts';
import type { Key } from '../key.ts';
import type { TableWriter } from '../table.ts';
import type { AuditRow } from '../tables/realm/audit.ts';
import type { AuditDeclaration } from './declaration.ts';
import { difference, logged } from './values.ts';

/** An act that no row of a watched table says. */
export interface AuditAct {
  readonly kind: AuditKind;
  readonly op: AuditOp;
  readonly target: AuditTarget;
  /** The account that joins or leaves the target; others of the same operation share its row. */
  readonly member?: number;
  readonly after?: AuditValues;
}

type Declared = readonly AuditDeclaration<Key, object>[];

/** A row that the operation has written: as it was before, and as it is now. */
interface Touched {
  readonly declared: Declared;
  readonly key: Key;
  readonly before: object | undefined;
  after: object | undefined;
}

export type AuditRecorder = ReturnType<typeof openAuditRecorder>;

/**
 * Watches what an operation writes, and makes the rows of the audit log of it. Tables declare what
 * is recorded of them, so that no operation can forget to; most operations write to none of them.
 */
export function openAuditRecorder() {
  let actor: AuditActor = 'server';
  let touched = new Map<string, Touched>();
  let acts: AuditAct[] = [];

  function forget() {
    actor = 'server';
    if (touched.size > 0) touched = new Map();
    if (acts.length > 0) acts = [];
  }

  return {
    /** The same table; its writes are compared with what was there. */
    watching<K extends Key, R extends object>(
      name: string,
      table: TableWriter<K, R>,
      audited: readonly AuditDeclaration<K, R>[],
    ): TableWriter<K, R> {
      // The rows of a table are only handed to its own declarations.
      const declared = audited as unknown as Declared;
      function note(key: K, after: R | undefined) {
        const id = `${name} ${JSON.stringify(key)}`;
        const known = touched.get(id);
        if (known === undefined) touched.set(id, { declared, key, before: table.get(key), after });
        else known.after = after;
      }
      return {
        ...table,
        put(key, row) {
          note(key, row);
          table.put(key, row);
        },
        remove(key) {
          note(key, undefined);
          table.remove(key);
        },
      };
    },
    actAs(by: AuditActor) {
      actor = by;
    },
    add(act: AuditAct) {
      acts.push(act);
    },
    /** Forgets an operation that was refused. */
    forget,
    /** Hands on the rows of an operation that is done. */
    finish(at: number, put: (row: AuditRow) => void) {
      if (touched.size > 0 || acts.length > 0) {
        const by = actorColumns(actor);
        for (const change of changesOf(touched.values(), acts)) put({ at, ...by, ...change });
      }
      forget();
    },
  };
}

const actorColumns = (actor: AuditActor): Pick<AuditRow, 'by' | 'actingUserId'> =>
  typeof actor === 'number'
    ? { by: 'user', actingUserId: actor }
    : { by: actor, actingUserId: null };

type Change = Omit<AuditRow, 'at' | 'by' | 'actingUserId'>;

/** A thing that the operation has changed, as far as its rows have been looked at. */
interface Thing {
  readonly kind: AuditKind;
  readonly target: AuditTarget;
  before?: AuditValues;
  after?: AuditValues;
}

interface Members {
  readonly kind: AuditKind;
  readonly op: AuditOp;
  readonly target: AuditTarget;
  readonly ids: number[];
}

function* changesOf(touched: Iterable<Touched>, acts: readonly AuditAct[]): Generator<Change> {
  const things = new Map<string, Thing>();
  const members = new Map<string, Members>();
  const thingOf = (kind: AuditKind, target: AuditTarget): Thing =>
    madeOnce(things, [kind, target], () => ({ kind, target }));
  const join = (of: Omit<Members, 'ids'>, id: number) => {
    const { kind, op, target } = of;
    madeOnce(members, [kind, op, target], () => ({ ...of, ids: [] as number[] })).ids.push(id);
  };
  for (const { declared, key, before, after } of touched) {
    for (const one of declared) {
      if ('member' in one) {
        if ((before === undefined) === (after === undefined)) continue;
        const op = after === undefined ? 'remove' : 'add';
        join({ kind: one.kind, op, target: one.target(key, after ?? {}) }, one.member(key));
        continue;
      }
      // A list may hold its things by place, so that a row becomes that of another thing.
      if (before !== undefined) {
        thingOf(one.kind, one.target(key, before)).before = one.values(before, key);
      }
      if (after !== undefined) {
        thingOf(one.kind, one.target(key, after)).after = one.values(after, key);
      }
    }
  }
  for (const { kind, target, before, after } of things.values()) {
    const changed = difference(before, after);
    if (changed !== undefined) yield { kind, op: opOf(before, after), target, ...changed };
  }
  for (const { member, after, ...act } of acts) {
    if (member !== undefined) join(act, member);
    else yield { ...act, before: null, after: after === undefined ? null : logged(after) };
  }
  for (const { kind, op, target, ids } of members.values()) {
    const values = logged({ ids });
    yield { kind, op, target, ...inOp(op, values) };
  }
}

function madeOnce<Made>(all: Map<string, Made>, name: readonly unknown[], make: () => Made): Made {
  const id = JSON.stringify(name);
  const known = all.get(id);
  if (known !== undefined) return known;
  const made = make();
  all.set(id, made);
  return made;
}

function opOf(before: unknown, after: unknown): AuditOp {
  if (before === undefined) return 'add';
  return after === undefined ? 'remove' : 'update';
}

const inOp = (op: AuditOp, values: AuditValues) =>
  op === 'remove' ? { before: values, after: null } : { before: null, after: values };
