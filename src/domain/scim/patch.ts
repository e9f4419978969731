import { SCIM_COMPARISONS_MAX, SCIM_OPERATIONS_MAX } from '../limits/accounts.ts';
import { type Filter, InvalidFilter, parseFilter } from './filter.ts';
import { comparisonsIn, isResource, matches, memberOf, type Resource } from './match.ts';
import { refusal } from './scim-errors.ts';
import { type Attribute, READ_ONLY, type Shape } from './shapes.ts';

type Draft = Record<string, unknown>;
type Op = 'add' | 'remove' | 'replace';

/** A path of RFC 7644, section 3.5.2, figure 7. */
interface Target {
  readonly attribute: Attribute;
  readonly filter: Filter | undefined;
  readonly part: string | undefined;
}

/**
 * Applies a PATCH to a resource and returns the result (RFC 7644, section 3.5.2). It takes what
 * Entra and Okta send beside the standard: operations in capitals, members of `value` whose names
 * are paths, and the removal of the elements that `value` lists.
 */
export function patched(resource: Resource, body: Resource, shape: Shape): Resource {
  const operations = memberOf(body, 'operations');
  if (!Array.isArray(operations) || operations.length === 0) {
    throw refusal('invalidSyntax', 'A PATCH needs a list of Operations.');
  }
  if (operations.length > SCIM_OPERATIONS_MAX) {
    throw refusal('tooMany', `A PATCH has at most ${SCIM_OPERATIONS_MAX} operations.`);
  }
  const patch = new Patch(structuredClone(resource), shape);
  for (const operation of operations) patch.run(operation);
  return patch.draft;
}

/** Returns what a body of POST or PUT says of the attributes that are kept, by their names. */
export function written(body: Resource, shape: Shape): Resource {
  const patch = new Patch({}, shape);
  patch.merge('add', body);
  return patch.draft;
}

class Patch {
  private comparisons = 0;

  readonly draft: Draft;
  private readonly shape: Shape;

  constructor(draft: Draft, shape: Shape) {
    this.draft = draft;
    this.shape = shape;
  }

  run(operation: unknown) {
    if (!isResource(operation)) throw refusal('invalidSyntax', 'An operation is an object.');
    const op = String(memberOf(operation, 'op')).toLowerCase();
    if (op !== 'add' && op !== 'remove' && op !== 'replace') {
      throw refusal('invalidSyntax', 'An operation is one of add, remove and replace.');
    }
    const path = memberOf(operation, 'path');
    const value = memberOf(operation, 'value');
    if (typeof path === 'string' && path !== '') return this.at(op, path, { value, isNamed: true });
    if (op === 'remove') throw refusal('noTarget', 'A removal needs a path.');
    if (!isResource(value)) throw refusal('invalidValue', 'Without a path, value is an object.');
    this.merge(op, value);
  }

  /** Writes each member of an object; members that only the server writes are left out. */
  merge(op: Op, value: Resource) {
    for (const [path, one] of Object.entries(value)) {
      this.at(op, path, { value: one, isNamed: false });
    }
  }

  private at(op: Op, path: string, { value, isNamed }: { value: unknown; isNamed: boolean }) {
    const target = this.targetOf(path, isNamed);
    if (target === undefined) return;
    // A null is an attribute without a value (RFC 7643, section 2.5).
    const how = value === null ? 'remove' : op;
    if (how !== 'remove' && value === undefined) {
      throw refusal('invalidValue', 'An operation that adds or replaces needs a value.');
    }
    const { name, kind } = target.attribute;
    if (kind === 'list') return this.onListOfPrimary(how, target, value);
    if (target.filter !== undefined) throw badPath(path);
    if (kind === 'simple') {
      if (how === 'remove') delete this.draft[name];
      else this.draft[name] = value;
      return;
    }
    this.onObject(how, target, value);
  }

  private onObject(op: Op, { attribute, part }: Target, value: unknown) {
    const { name } = attribute;
    if (op === 'remove' && part === undefined) return void delete this.draft[name];
    const former = this.draft[name];
    const object: Draft = isResource(former) ? { ...former } : {};
    this.draft[name] = object;
    if (part !== undefined) return setPart(object, part, op === 'remove' ? undefined : value);
    Object.assign(object, partsOf(attribute, value));
  }

  /** An element that becomes the primary one takes that from the others (RFC 7644, 3.5.2). */
  private onListOfPrimary(op: Op, target: Target, value: unknown) {
    const { name } = target.attribute;
    const former = this.elementsOf(name).filter(isPrimary);
    this.onList(op, target, value);
    const elements = this.elementsOf(name);
    const fresh = elements.filter((one) => isPrimary(one) && !former.includes(one));
    if (fresh.length !== 1) return;
    for (const one of elements) if (isPrimary(one) && one !== fresh[0]) one['primary'] = false;
  }

  private elementsOf(name: string): Draft[] {
    const elements = this.draft[name];
    return Array.isArray(elements) ? (elements as Draft[]) : [];
  }

  private onList(op: Op, target: Target, value: unknown) {
    const { attribute, filter, part } = target;
    const all = this.elementsOf(attribute.name);
    if (filter === undefined && part === undefined) {
      this.draft[attribute.name] = changedList(op, { attribute, all, value });
      return;
    }
    const chosen = filter === undefined ? all : this.chosen(all, filter);
    if (op === 'remove') {
      if (part !== undefined) for (const one of chosen) delete one[part];
      else this.draft[attribute.name] = all.filter((one) => !chosen.includes(one));
      return;
    }
    const change = part === undefined ? partsOf(attribute, value) : { [part]: value };
    for (const one of chosen) Object.assign(one, change);
    if (chosen.length > 0) return;
    // Entra replaces the work address of somebody who has none yet.
    this.draft[attribute.name] = [...all, { ...madeFor(filter), ...change }];
  }

  private chosen(all: readonly Draft[], filter: Filter): Draft[] {
    const byValue =
      filter.is === 'compare' && filter.path === 'value' && filter.op === 'eq'
        ? filter.value
        : undefined;
    if (byValue !== undefined) return all.filter(({ value }) => value === byValue);
    this.comparisons += all.length * comparisonsIn(filter);
    if (this.comparisons > SCIM_COMPARISONS_MAX) {
      throw refusal('tooMany', 'The filters of this PATCH are too much work at once.');
    }
    return all.filter((one) => matches(filter, one));
  }

  /** Reads a path; undefined for attributes that are not kept. */
  private targetOf(given: string, isNamed: boolean): Target | undefined {
    const prefix = `${this.shape.urn}:`.toLowerCase();
    const path = given.toLowerCase().startsWith(prefix) ? given.slice(prefix.length) : given;
    if (path.toLowerCase().startsWith('urn:')) return undefined;
    const open = path.indexOf('[');
    const close = path.lastIndexOf(']');
    if (open >= 0 && close < open) throw badPath(given);
    const rest = open < 0 ? path : `${path.slice(0, open)}${path.slice(close + 1)}`;
    const [name = '', part, ...more] = rest.split('.');
    const isCalled = (one: string) => one.toLowerCase() === name.toLowerCase();
    if (READ_ONLY.some(isCalled)) {
      if (!isNamed || isCalled('schemas')) return undefined;
      throw refusal('mutability', `Only the server writes ${name}.`);
    }
    if (this.shape.ignored.some(isCalled)) return undefined;
    const attribute = this.shape.attributes.find((one) => isCalled(one.name));
    if (attribute === undefined) {
      // A whole resource may have more than is kept; a path that leads nowhere is a mistake.
      if (!isNamed) return undefined;
      throw badPath(given);
    }
    if (more.length > 0 || (open >= 0 && attribute.kind !== 'list')) throw badPath(given);
    const filter = open < 0 ? undefined : read(path.slice(open + 1, close));
    if (part === undefined) return { attribute, filter, part };
    const known = attribute.parts?.find((one) => one.toLowerCase() === part.toLowerCase());
    // Parts of names such as `honorificPrefix` are not kept.
    if (known === undefined && attribute.kind === 'simple') throw badPath(given);
    return known === undefined ? undefined : { attribute, filter, part: known };
  }
}

const isPrimary = ({ primary }: Draft) =>
  primary === true || (typeof primary === 'string' && primary.toLowerCase() === 'true');

function read(text: string): Filter {
  try {
    return parseFilter(text);
  } catch (error) {
    if (error instanceof InvalidFilter) throw refusal('invalidPath', error.message);
    throw error;
  }
}

const badPath = (path: string) =>
  refusal('invalidPath', `There is no attribute ${path.slice(0, 100)}.`);

function setPart(object: Draft, part: string, value: unknown) {
  if (value === undefined) delete object[part];
  else object[part] = value;
}

function changedList(
  op: Op,
  { attribute, all, value }: { attribute: Attribute; all: readonly Draft[]; value: unknown },
): Draft[] {
  if (op === 'remove' && (value === undefined || value === null)) return [];
  const given = [value].flat().map((one) => partsOf(attribute, one));
  const values = new Set(given.map((one) => one['value']));
  if (op === 'remove') return all.filter((one) => !values.has(one['value']));
  const kept = op === 'replace' ? [] : all.filter((one) => !values.has(one['value']));
  return [...kept, ...new Map(given.map((one) => [one['value'], one])).values()];
}

/** Returns the parts of an object that are known; a bare value is that of an element. */
function partsOf({ name, kind, parts = [] }: Attribute, value: unknown): Draft {
  if (kind === 'list' && typeof value === 'string') return { value };
  if (!isResource(value)) throw refusal('invalidValue', `${name} has to be an object.`);
  const known: Draft = {};
  for (const part of parts) {
    const one = memberOf(value, part.toLowerCase());
    if (one !== undefined && one !== null) known[part] = one;
  }
  return known;
}

/** Returns an element that a filter would find, if it is one that can be made. */
function madeFor(filter: Filter | undefined): Draft {
  if (filter?.is === 'compare' && filter.op === 'eq') return { [filter.path]: filter.value };
  throw refusal('noTarget', 'No element is of the filter.');
}
