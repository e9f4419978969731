/**
 * Holds every answer and event of the tests against what the endpoints declare: a field, a code or
 * an event that nobody declared fails the test that met it. To mend it, correct the declaration
 * (`reply`, `refuses`, `emits` of the endpoint; `src/domain/wire/events/logged-events.ts`;
 * `src/domain/wire/error-fields.ts`) or the code.
 */
import { z } from 'zod';
import { ALIASED_KEYS } from '../../src/domain/rules/texts/aliases.ts';
import { ERROR_FIELDS, statusesOf } from '../../src/domain/wire/error-fields.ts';
import { type ErrorCode, STATUS_OF } from '../../src/domain/wire/errors.ts';
import type { Endpoint, EventType } from '../../src/endpoints/endpoint.ts';
import { ENDPOINTS } from '../../src/endpoints/index.ts';
import { refusalsOf } from '../../src/endpoints/refusals.ts';
import { openRoutes } from '../../src/endpoints/routes.ts';
import { parseEvent } from '../../src/events/events.ts';
import type { RealmTransaction } from '../../storage/transaction.ts';

export interface SentRequest {
  readonly method: string;
  /** Below `/api/v1`. */
  readonly path: string;
}

interface Answered {
  readonly status: number;
  readonly body: unknown;
  /** The body as it came, if it is known. */
  readonly text?: string;
}

/** Throws when an answer is not as its endpoint declares. Paths of no endpoint are left alone. */
export function requireDeclared(request: SentRequest, { status, body, text }: Answered) {
  const endpoint = endpointOf(request);
  if (endpoint === undefined || 'document' in endpoint || !isObject(body)) return;
  const fields = withoutAliases(withoutAliasedTypes(body, text));
  if (status >= 400 || 'code' in fields) requireRefusal(endpoint, status, fields);
  else if (status === 200) requireReply(endpoint, fields);
}

/** Throws when an event is not one of `EVENTS`. */
export function requireEvents(events: unknown) {
  for (const event of EVENT_LIST.parse(events)) {
    parseEvent(withoutAliasedProperty(withoutAliases(withoutAliasedTypes(event))));
  }
}

const EVENT_LIST = z.array(z.looseObject({}));

function requireReply(endpoint: Endpoint, body: Fields) {
  const result = replyOf(endpoint).safeParse(body);
  if (!result.success) {
    throw new Error(
      `${nameOf(endpoint)} answers otherwise than its \`reply\` declares:\n` +
        `${z.prettifyError(result.error)}\n${shown(body)}`,
    );
  }
  if ('events' in body && endpoint.path === '/events') requireEvents(body['events']);
}

function requireRefusal(endpoint: Endpoint, status: number, body: Fields) {
  const { code = status === 405 ? 'METHOD_NOT_ALLOWED' : undefined } = body;
  // A bug, which the test is about, or is shown by.
  if (status === 500 && code === undefined) return;
  const declared: readonly unknown[] = [...refusalsOf(endpoint), 'METHOD_NOT_ALLOWED'];
  if (!declared.includes(code)) {
    throw new Error(`${nameOf(endpoint)} does not declare that it \`refuses\` with ${shown(body)}`);
  }
  // One of the declared, which are codes.
  const known = code as ErrorCode;
  if (!statusesOf(known).includes(status)) {
    throw new Error(`${known} came with the status ${status}: ${shown(body)}`);
  }
  const result = refusalSchema(known).safeParse(body);
  if (!result.success) {
    throw new Error(
      `${nameOf(endpoint)} refuses with other fields than \`error-fields.ts\` has for ${known}:\n` +
        `${z.prettifyError(result.error)}\n${shown(body)}`,
    );
  }
}

const routes = openRoutes(ENDPOINTS);

function endpointOf({ method, path }: SentRequest): Endpoint | undefined {
  try {
    return routes.find(path.split('?')[0] ?? '')?.byMethod.get(method)?.endpoint;
  } catch {
    // A path that cannot be decoded is no endpoint's.
    return undefined;
  }
}

const replies = new Map<Endpoint, z.ZodType>();

function replyOf(endpoint: Endpoint): z.ZodType {
  const known = replies.get(endpoint);
  if (known !== undefined) return known;
  const schema = z.strictObject({
    result: z.literal('success'),
    msg: z.literal(''),
    ...endpoint.reply,
    ignored_parameters_unsupported: z.array(z.string()).min(1).optional(),
  });
  replies.set(endpoint, schema);
  return schema;
}

const refusalSchema = (code: ErrorCode) =>
  z.strictObject({
    result: z.literal(STATUS_OF[code] < 400 ? 'success' : 'error'),
    msg: z.string().min(1),
    ...(code === 'METHOD_NOT_ALLOWED' ? {} : { code: z.literal(code) }),
    ...ERROR_FIELDS[code].fields,
  });

type Fields = Readonly<Record<string, unknown>>;

const isObject = (body: unknown): body is Fields => typeof body === 'object' && body !== null;

/** Servers of some tests spell one type of reaction in their own way. */
function withoutAliasedTypes(body: Fields, text = JSON.stringify(body)): Fields {
  if (!ALIASED_TYPE.test(text)) return body;
  return JSON.parse(text.replaceAll(/"[a-z]+_extra_emoji"/g, '"service_extra_emoji"')) as Fields;
}

/** It looks for the end first: a snapshot has a million characters, and hardly ever such a type. */
const ALIASED_TYPE = /_extra_emoji(?<!"service_extra_emoji)"/;

/** The same servers spell some keys a second time. */
function withoutAliases(body: Fields): Fields {
  const present = ALIASES.filter(({ key }) => key in body);
  if (present.length === 0) return body;
  return Object.fromEntries(
    Object.entries(body).filter(([name]) => !present.some(({ alias }) => alias.test(name))),
  );
}

const ALIASES = ALIASED_KEYS.map((key) => ({
  key,
  alias: new RegExp(`^${key.replace('service', '(?!service)[a-z]+')}$`),
}));

/** The same event by the setting's own name. */
const withoutAliasedProperty = (event: Fields): Fields =>
  event['type'] === 'realm' && /^[a-z]+_update_announcements_/.test(String(event['property']))
    ? { ...event, property: 'service_update_announcements_stream_id' }
    : event;

const nameOf = ({ method, path }: Endpoint) => `${method} ${path}`;
const shown = (body: Fields) => JSON.stringify(body).slice(0, 2_000);

/** From here on an operation that emits what its endpoint does not declare is a bug. */
for (const endpoint of ENDPOINTS) {
  if (!('change' in endpoint)) continue;
  const { change, emits = [] } = endpoint;
  Object.assign(endpoint, {
    change: (tx: RealmTransaction, request: Parameters<typeof change>[1]) =>
      change(watched(tx, { endpoint, emits }), request),
  });
}

function watched(
  tx: RealmTransaction,
  { endpoint, emits }: { endpoint: Endpoint; emits: readonly EventType[] },
): RealmTransaction {
  const emit: RealmTransaction['emit'] = (entry) => {
    if (!emits.includes(entry.event.type)) {
      throw new Error(`${nameOf(endpoint)} does not declare that it \`emits\` ${entry.event.type}`);
    }
    return tx.emit(entry);
  };
  return { ...tx, emit };
}
