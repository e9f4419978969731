import { describedParams } from '../../../src/endpoints/described-params.ts';
import type {
  Example,
  ExampleAnswer,
  Examples,
} from '../../../src/endpoints/documents/examples.ts';
import type { Endpoint } from '../../../src/endpoints/endpoint.ts';
import { ENDPOINTS } from '../../../src/endpoints/index.ts';
import { operationId } from '../../../src/endpoints/operation-id.ts';
import { openRoutes } from '../../../src/endpoints/routes.ts';
import type { Row } from '../access/access.ts';
import { ACCESS_TO_MESSAGES } from '../access/to-messages.ts';
import { ACCESS_TO_ORGANIZATION } from '../access/to-organization.ts';
import { type Asker, openWorld, ROLES, type World } from '../access/world.ts';
import type { Params, Reply, TestQueue } from '../client.ts';
import type { Person } from '../users.ts';
import { settling } from './settled.ts';
import { TOLD } from './told-requests.ts';

const TABLE: Readonly<Record<string, Row>> = { ...ACCESS_TO_MESSAGES, ...ACCESS_TO_ORGANIZATION };

/** They end what other requests need, so they come last. */
const LAST = ['DELETE /users/me', 'POST /realm/deactivate'];

/** A member's request says more than an owner's, who may do everything. */
const ASKERS: readonly Asker[] = ['member', 'owner', 'administrator', 'moderator', 'guest'];

/**
 * Sends one request of each operation to a server, and perhaps one that is refused, and notes the
 * answers and the first event of each kind. It is the same at each run: times stand still, and
 * random words are exchanged.
 */
export async function recordExamples(): Promise<Examples> {
  const world = await openWorld();
  const { mel, ona } = world.server.people;
  const settle = settling(world.server);
  const operations: Record<string, Example> = {};
  const listeners = [await listen(world, mel), await listen(world, ona)];
  const events: Record<string, object> = {};
  for (const endpoint of [...ENDPOINTS].sort(byEnd)) {
    operations[operationId(endpoint)] = settle(await recorded(world, endpoint));
    for (const [index, listener] of listeners.entries()) {
      for (const event of await heard(listener)) {
        const { type, op } = event as { type: string; op?: string };
        const kind = op === undefined ? type : `${type} ${op}`;
        events[kind] ??= settle(event);
      }
      if (listener.isOver) listeners[index] = await listen(world, listener.queue.as);
    }
  }
  return { operations: ordered(operations), events: ordered(events) };
}

const byEnd = (one: Endpoint, other: Endpoint) =>
  LAST.indexOf(nameOf(one)) - LAST.indexOf(nameOf(other));

const nameOf = ({ method, path }: Endpoint) => `${method} ${path}`;

const ordered = <Value>(values: Readonly<Record<string, Value>>) =>
  Object.fromEntries(Object.entries(values).sort(([one], [other]) => (one < other ? -1 : 1)));

async function recorded(world: World, endpoint: Endpoint): Promise<Example> {
  const row = TABLE[nameOf(endpoint)];
  if (row === undefined) throw new Error(`${nameOf(endpoint)} has no row`);
  const told = TOLD[nameOf(endpoint)];
  const asker = told?.as ?? ASKERS.find((one) => row.outcomes[one] === 'ok') ?? 'member';
  const refused = await refusalOf(world, endpoint, { row, asker });
  const request = await (told ?? row).request(world, asker);
  const { path = endpoint.path, params = {}, file, headers } = request;
  const reply = await world.ask(endpoint, asker, { path, params, file, headers });
  const isMeantToSucceed = told !== undefined || row.outcomes[asker] === 'ok';
  if (isMeantToSucceed !== (reply.status === 200)) {
    throw new Error(`${nameOf(endpoint)}: ${JSON.stringify(reply.body)}`);
  }
  await row.after?.(world, asker);
  if (nameOf(endpoint) === 'POST /realm/deactivate') await world.reactivate();
  return {
    params: paramsOf(endpoint, path, params),
    ...(file === undefined ? {} : { file: file.filename ?? 'file.txt' }),
    answer: answerOf(endpoint, reply),
    ...(refused === undefined || reply.status !== 200 ? {} : { refusal: refused }),
  };
}

/** Asks as a role that may not, or without what is needed; most operations refuse neither. */
async function refusalOf(
  world: World,
  endpoint: Endpoint,
  { row, asker }: { row: Row; asker: Asker },
): Promise<ExampleAnswer | undefined> {
  const role = ROLES.find((one) => row.outcomes[one] !== 'ok' && row.outcomes[asker] === 'ok');
  if (role !== undefined) {
    const { path = endpoint.path, params = {}, file } = await row.request(world, role);
    const reply = await world.ask(endpoint, role, { path, params, file });
    return reply.status === 200 ? undefined : answerOf(endpoint, reply);
  }
  const needed = describedParams(endpoint).filter(({ isRequired }) => isRequired);
  if (needed.length === 0 || needed.some(({ isInPath }) => isInPath)) return undefined;
  const reply = await world.ask(endpoint, asker, {
    path: endpoint.path,
    params: {},
    file: undefined,
  });
  return reply.status === 200 ? undefined : answerOf(endpoint, reply);
}

/** The document itself is not put into an example of itself. */
const answerOf = (endpoint: Endpoint, { status, body }: Reply): ExampleAnswer =>
  'document' in endpoint
    ? { status, body: { openapi: body.openapi, info: { title: body.info.title } } }
    : { status, body };

const routes = openRoutes(ENDPOINTS);

/** Returns the parameters by name as the values that their texts stand for. */
function paramsOf(endpoint: Endpoint, path: string, params: Params): Params {
  const [start = '', query = ''] = path.split('?');
  const inPath = routes.find(start)?.values ?? {};
  const given = { ...inPath, ...Object.fromEntries(new URLSearchParams(query)), ...params };
  return Object.fromEntries(
    describedParams(endpoint)
      .filter(({ name }) => given[name] !== undefined)
      .map(({ name, value }) => [
        name,
        valueBehind(given[name], (read) => value.safeParse(read).success),
      ]),
  );
}

/** Returns the value of a text from a path, or the text of a value that is documented as text. */
function valueBehind(given: unknown, isOne: (value: unknown) => boolean): unknown {
  if (isOne(given)) return given;
  if (typeof given !== 'string') return JSON.stringify(given);
  try {
    const read: unknown = JSON.parse(given);
    return isOne(read) ? read : given;
  } catch {
    return given;
  }
}

interface Listener {
  readonly queue: TestQueue;
  isOver: boolean;
}

async function listen({ server }: World, as: Person): Promise<Listener> {
  const capabilities = { notification_settings_null: true, bulk_message_deletion: true };
  const params = { fetch_event_types: [], client_capabilities: capabilities };
  return { queue: await server.register(as, params), isOver: false };
}

async function heard(listener: Listener): Promise<readonly object[]> {
  try {
    return await listener.queue.now();
  } catch {
    // The request has ended the key, the account or the organization of the queue.
    listener.isOver = true;
    return [];
  }
}
