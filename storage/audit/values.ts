import {
  AUDIT_LIST_LENGTH_MAX,
  AUDIT_TEXT_LENGTH_MAX,
  AUDIT_VALUES_LENGTH_MAX,
} from '../../src/domain/limits/organizations.ts';
import { type AuditValues, HIDDEN } from '../../src/domain/wire/audit.ts';
import { Hidden } from './declaration.ts';

/** Stands for what was cut off. */
const CUT = '…';

export interface Difference {
  readonly before: AuditValues | null;
  readonly after: AuditValues | null;
}

/** Returns the values that differ, as they are logged; undefined if none does. */
export function difference(
  before: AuditValues | undefined,
  after: AuditValues | undefined,
): Difference | undefined {
  if (before === undefined || after === undefined) {
    const values = { before: whole(before), after: whole(after) };
    const isEmpty = Object.keys(values.before ?? values.after ?? {}).length === 0;
    return isEmpty ? undefined : values;
  }
  const names = Object.keys({ ...before, ...after });
  const changed = names.filter((name) => !isSame(before[name] ?? null, after[name] ?? null));
  if (changed.length === 0) return undefined;
  return { before: logged(before, changed), after: logged(after, changed) };
}

/** Returns the values of a thing that is new or gone; those that are null say nothing. */
const whole = (values: AuditValues | undefined): AuditValues | null =>
  values === undefined
    ? null
    : logged(
        values,
        Object.keys(values).filter((name) => values[name] !== null),
      );

function isSame(one: unknown, other: unknown): boolean {
  if (one instanceof Hidden && other instanceof Hidden) return one.value === other.value;
  if (one instanceof Hidden || other instanceof Hidden) return false;
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}

/** Returns values so short that no act takes much of the log. */
export function logged(values: AuditValues, names = Object.keys(values)): AuditValues {
  let left = AUDIT_VALUES_LENGTH_MAX;
  const short = names.map((name) => {
    const value = bounded(values[name] ?? null);
    const length = JSON.stringify(value).length;
    if (length > left) return [name, CUT] as const;
    left -= length;
    return [name, value] as const;
  });
  return Object.fromEntries(short);
}

function bounded(value: unknown): unknown {
  if (value instanceof Hidden) return HIDDEN;
  if (typeof value === 'string') return boundedText(value);
  if (Array.isArray(value)) return boundedList(value);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, bounded(one)]));
}

/** Half a character at the end would not be text. */
const boundedText = (text: string): string =>
  text.length <= AUDIT_TEXT_LENGTH_MAX
    ? text
    : `${text.slice(0, AUDIT_TEXT_LENGTH_MAX).replace(/[\uD800-\uDBFF]$/, '')}${CUT}`;

function boundedList(list: readonly unknown[]): unknown[] {
  const first = list.slice(0, AUDIT_LIST_LENGTH_MAX).map(bounded);
  return first.length === list.length ? first : [...first, CUT];
}
