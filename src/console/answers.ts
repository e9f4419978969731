import { z } from 'zod';
import type { Realms } from '../admin/deployment.ts';
import * as errors from '../domain/wire/errors.ts';
import { act } from './acts.ts';
import type { ConsoleInput } from './console-input.ts';
import { actorsView } from './views/actors.ts';
import { auditView } from './views/audit.ts';
import { backupList, backupsView, verify } from './views/backups.ts';
import { checkData, checks } from './views/checks.ts';
import { clusterView } from './views/cluster.ts';
import { connectionsView } from './views/connections.ts';
import { outboxView, retryNow } from './views/outbox.ts';
import { realmViews } from './views/realms.ts';
import { usersView } from './views/users.ts';
import type { ServerView } from './wire.ts';

/** Answers questions of the page, and does what it asks for. Both refuse with an `ApiError`. */
export interface Answers {
  get(path: string, query: URLSearchParams): Promise<unknown>;
  post(path: string, body: unknown): Promise<unknown>;
  /** Ends the recording of what the actors do. */
  stopRecording(): void;
}

const letter = z.object({ realm: z.string(), id: z.int(), dueAt: z.number() });
const backup = z.object({ backup: z.string() });
const oneRealm = z.object({ realm: z.string().optional() });
const recording = z.object({ isOn: z.boolean() });

export function openAnswers(input: ConsoleInput): Answers {
  const { inspection } = input;
  let isRecording = false;
  const record = (isOn: boolean) => {
    isRecording = isOn;
    if (isOn) inspection.start();
    else inspection.stop();
  };
  const realms = (): Realms => {
    const opened = input.realms();
    if (opened === null) throw errors.serverStopping();
    return opened;
  };

  const GET: Readonly<Record<string, (query: URLSearchParams) => unknown>> = {
    '/api/server': () => serverView(input),
    '/api/realms': () => realmViews(realms()),
    '/api/users': (query) => {
      const realm = realms().named(query.get('realm') ?? '');
      if (realm?.isOpen() !== true) throw errors.badRequest('This realm is not open');
      return usersView(realm, query.get('q') ?? '');
    },
    '/api/audit': (query) => auditView(realms(), query),
    '/api/connections': () =>
      connectionsView({
        realms: input.realms(),
        sockets: input.sockets(),
        polls: input.recorders.http.pollsParked,
      }),
    '/api/cluster': () => {
      const node = input.node();
      if (node === null) throw errors.badRequest('This server is no node of a cluster');
      return clusterView(node);
    },
    '/api/gateways': () => {
      const gateways = input.gateways();
      if (gateways === null) throw errors.badRequest('This server has no gateways');
      return gateways;
    },
    '/api/outbox': () => outboxView(realms(), input.recorders),
    '/api/backups': () => backupsView({ realms: realms(), nextAt: input.nextBackupAt() }),
    '/api/backups/list': () => backupList(realms()),
    '/api/actors': () =>
      actorsView({ ...input, state: input.state(), realms: input.realms(), isRecording }),
  };

  const POST: Readonly<Record<string, (body: unknown) => Promise<unknown>>> = {
    '/api/act': async (body) => ({ lines: await act(realms(), body) }),
    '/api/outbox/retry': async (body) => {
      await retryNow(realms(), parsed(letter, body));
      return { lines: [] };
    },
    '/api/backups/verify': async (body) => {
      await verify(realms(), parsed(backup, body).backup);
      return { lines: [] };
    },
    '/api/checks': () => checks(input.settings),
    '/api/checks/data': (body) => checkData(realms().path, parsed(oneRealm, body), input.settings),
    '/api/recording': async (body) => {
      record(parsed(recording, body).isOn);
      return { lines: [] };
    },
  };

  return {
    get: async (path, query) => found(GET, path)(query),
    post: async (path, body) => await found(POST, path)(body),
    stopRecording: () => record(false),
  };
}

function found<Answer>(answers: Readonly<Record<string, Answer>>, path: string): Answer {
  const answer = Object.hasOwn(answers, path) ? answers[path] : undefined;
  if (answer === undefined) throw new errors.ApiError('NOT_FOUND', `There is nothing at ${path}`);
  return answer;
}

function parsed<Body>(schema: z.ZodType<Body>, body: unknown): Body {
  const { success, data } = schema.safeParse(body);
  if (!success) throw errors.badRequest('The fields are not as expected');
  return data;
}

function serverView(input: ConsoleInput): ServerView {
  const { settings, health, standing } = input;
  const { isReady, reasons } = health();
  const known = standing() as { version: string; started_at: string; url: string | null };
  return {
    version: known.version,
    node: process.versions.node,
    pid: process.pid,
    startedAt: known.started_at,
    url: known.url,
    data: settings.data,
    isReady,
    reasons,
    clusterNode: input.node()?.name ?? null,
    gateways: settings.gateways,
  };
}
