import type { Realm } from '../../../actors/realm/realm-handle.ts';
import { SCIM_BULK_OPERATIONS_MAX } from '../../domain/limits/accounts.ts';
import { isResource, memberOf, type Resource } from '../../domain/scim/match.ts';
import { conflict, refusal, tooManyOperations } from '../../domain/scim/scim-errors.ts';
import type { Site } from '../../operations/access/caller.ts';
import type { ScimReply } from '../pages/page.ts';
import { type Change, perform } from './changing.ts';

const RESPONSE = 'urn:ietf:params:scim:api:messages:2.0:BulkResponse';

/** The deepest place in a body where a reference to another operation is looked for. */
const REFERENCE_DEPTH_MAX = 6;

const METHODS = ['DELETE', 'PATCH', 'POST', 'PUT'] as const;
type Method = (typeof METHODS)[number];

/** An operation as it was sent, with the operations that it refers to. */
interface Operation {
  readonly place: number;
  readonly given: Resource;
  readonly bulkId: string | undefined;
  readonly needs: ReadonlySet<string>;
}

/** The ids that operations with a `bulkId` have made; null for a failure. */
type Outcomes = Map<string, string | null>;

/**
 * Runs a bulk request (RFC 7644, section 3.7). Each operation is a transaction of its own, as if it
 * had come by itself, so that other requests have their turn between two of them. Operations that
 * refer to a later one run after it.
 */
export async function bulk(
  { realm, site }: { readonly realm: Realm; readonly site: Site },
  body: Resource,
  errorReply: (error: unknown) => ScimReply,
): Promise<ScimReply> {
  const operations = operationsIn(body);
  const failuresMax = failuresIn(body);
  const outcomes: Outcomes = new Map();
  const results: { place: number; result: Resource }[] = [];
  let failures = 0;
  for (const operation of inOrder(operations)) {
    const reply = await replyTo(operation, { realm, site, outcomes, errorReply });
    const isFailed = reply.status >= 400;
    if (operation.bulkId !== undefined) {
      const id = isFailed ? null : idIn(reply);
      if (!outcomes.has(operation.bulkId)) outcomes.set(operation.bulkId, id);
    }
    results.push({ place: operation.place, result: resultOf(operation, reply) });
    if (isFailed) failures += 1;
    if (failures >= failuresMax) break;
  }
  results.sort((one, other) => one.place - other.place);
  return {
    status: 200,
    scim: { schemas: [RESPONSE], Operations: results.map(({ result }) => result) },
  };
}

function operationsIn(body: Resource): Operation[] {
  const given = memberOf(body, 'operations');
  if (!Array.isArray(given)) throw refusal('invalidSyntax', 'A bulk request needs Operations.');
  if (given.length > SCIM_BULK_OPERATIONS_MAX) throw tooManyOperations(SCIM_BULK_OPERATIONS_MAX);
  return given.map((one: unknown, place) => {
    if (!isResource(one)) throw refusal('invalidSyntax', 'An operation is an object.');
    const bulkId = memberOf(one, 'bulkid');
    const needs = new Set<string>();
    const note = (name: string) => {
      needs.add(name);
      return undefined;
    };
    referring(memberOf(one, 'data'), note);
    referring(memberOf(one, 'path'), note);
    return { place, given: one, bulkId: typeof bulkId === 'string' ? bulkId : undefined, needs };
  });
}

function failuresIn(body: Resource): number {
  const given = memberOf(body, 'failonerrors');
  if (given === undefined || given === null) return Number.POSITIVE_INFINITY;
  if (typeof given === 'number' && Number.isInteger(given) && given >= 1) return given;
  throw refusal('invalidValue', 'failOnErrors has to be a whole number from 1.');
}

/**
 * Puts operations behind those that they refer to. Of those that refer in a circle one comes first,
 * and is refused: no resource here can be part of another one that is part of it.
 */
function inOrder(operations: readonly Operation[]): Operation[] {
  const named = new Map(operations.map((operation) => [operation.bulkId, operation]));
  const ordered = new Set<Operation>();
  const begun = new Set<Operation>();
  const visit = (operation: Operation) => {
    if (begun.has(operation)) return;
    begun.add(operation);
    for (const name of operation.needs) {
      const other = named.get(name);
      if (other !== undefined) visit(other);
    }
    ordered.add(operation);
  };
  for (const operation of operations) visit(operation);
  return [...ordered];
}

interface Run {
  readonly realm: Realm;
  readonly site: Site;
  readonly outcomes: Outcomes;
  readonly errorReply: (error: unknown) => ScimReply;
}

async function replyTo(operation: Operation, run: Run): Promise<ScimReply> {
  try {
    return await perform(run.realm, run.site, changeOf(operation, run.outcomes));
  } catch (error) {
    return run.errorReply(error);
  }
}

function changeOf({ given, bulkId }: Operation, outcomes: Outcomes): Change {
  const method = methodIn(given);
  const resolve = (name: string) => {
    const id = outcomes.get(name);
    if (typeof id === 'string') return id;
    throw conflict(`There is no resource of the bulkId ${name.slice(0, 100)}.`);
  };
  const path = referring(memberOf(given, 'path'), resolve);
  const match = typeof path === 'string' ? /^\/(Users|Groups)(?:\/([^/]+))?$/.exec(path) : null;
  const [, kind, id] = match ?? [];
  if ((kind !== 'Users' && kind !== 'Groups') || (id === undefined) !== (method === 'POST')) {
    throw refusal('invalidPath', 'The path of an operation is /Users or /Groups, with an id.');
  }
  if (method === 'POST' && bulkId === undefined) {
    throw refusal('invalidSyntax', 'A POST in a bulk request needs a bulkId.');
  }
  const data = referring(memberOf(given, 'data'), resolve);
  if (method !== 'DELETE' && !isResource(data)) {
    throw refusal('invalidSyntax', 'An operation needs data, an object.');
  }
  const version = memberOf(given, 'version');
  return {
    method,
    kind,
    id,
    body: isResource(data) ? data : {},
    ifMatch: typeof version === 'string' ? version : undefined,
    selection: { only: undefined, without: undefined },
  };
}

function methodIn(given: Resource): Method {
  const word = String(memberOf(given, 'method')).toUpperCase();
  const method = METHODS.find((one) => one === word);
  if (method === undefined) {
    throw refusal('invalidSyntax', 'A method is one of POST, PUT, PATCH and DELETE.');
  }
  return method;
}

/** Returns a copy of a value in which references (`bulkId:…`) are what `resolve` says of them. */
function referring(
  value: unknown,
  resolve: (name: string) => string | undefined,
  depth = 0,
): unknown {
  if (typeof value === 'string') {
    return value.replace(/(^|\/)bulkId:([^/"]{1,200})$/, (whole, before: string, name: string) => {
      const id = resolve(name);
      return id === undefined ? whole : `${before}${id}`;
    });
  }
  if (depth > REFERENCE_DEPTH_MAX || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((one) => referring(one, resolve, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, referring(one, resolve, depth + 1)]),
  );
}

const idIn = ({ scim }: ScimReply): string | null => {
  const id = isResource(scim) ? scim['id'] : undefined;
  return typeof id === 'string' ? id : null;
};

/** Returns the entry of an operation in the answer; a failure has the body of its refusal. */
function resultOf({ given, bulkId }: Operation, reply: ScimReply): Resource {
  const { status, scim, location, version } = reply;
  return {
    method: memberOf(given, 'method'),
    ...(bulkId === undefined ? {} : { bulkId }),
    ...(version === undefined ? {} : { version }),
    ...(location === undefined ? {} : { location }),
    status: String(status),
    ...(status >= 400 ? { response: scim } : {}),
  };
}
