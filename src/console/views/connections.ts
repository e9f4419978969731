import type { Realms } from '../../admin/deployment.ts';
import { CONSOLE_POLLS_MAX, CONSOLE_ROWS_MAX } from '../../domain/limits/operator.ts';
import { programIn } from '../../domain/rules/texts/program.ts';
import type { OpenSocket } from '../../transport/event-socket.ts';
import type { ClientView, ConnectionsView, SlowSocket } from '../wire.ts';

export interface ConnectionsInput {
  readonly realms: Realms | null;
  readonly sockets: Iterable<OpenSocket>;
  readonly polls: number;
}

/**
 * Counts open sockets and waiting polls by the client program, and lists the sockets that do not
 * take what is sent.
 */
export function connectionsView({ realms, sockets, polls }: ConnectionsInput): ConnectionsView {
  const { open, byAgent, behind } = counted(sockets);
  const polled = programsOfPolls(realms);
  return {
    sockets: open,
    polls,
    pollsCounted: polled.length,
    clients: byProgram(byAgent, polled).slice(0, CONSOLE_ROWS_MAX),
    slow: behind
      .sort((one, other) => other.bufferedBytes - one.bufferedBytes)
      .slice(0, CONSOLE_ROWS_MAX)
      .map((socket) => slow(realms, socket)),
  };
}

function counted(sockets: Iterable<OpenSocket>) {
  const byAgent = new Map<string, number>();
  const behind: OpenSocket[] = [];
  let open = 0;
  for (const socket of sockets) {
    open += 1;
    byAgent.set(socket.userAgent, (byAgent.get(socket.userAgent) ?? 0) + 1);
    if (socket.bufferedBytes > 0) behind.push(socket);
  }
  return { open, byAgent, behind };
}

/** Returns the programs of the first waiting polls of all realms. */
function programsOfPolls(realms: Realms | null): string[] {
  const programs: string[] = [];
  for (const realm of realms?.all() ?? []) {
    const left = CONSOLE_POLLS_MAX - programs.length;
    if (left <= 0) break;
    programs.push(...realm.programsOfPolls(left));
  }
  return programs;
}

/** Returns the counts of each program, those with most connections first. */
function byProgram(byAgent: ReadonlyMap<string, number>, polled: readonly string[]): ClientView[] {
  const programs = new Map<string, ClientView>();
  const add = (agent: string, { sockets = 0, polls = 0 }) => {
    const { client, version } = programIn(agent);
    const known = programs.get(`${client} ${version}`);
    programs.set(`${client} ${version}`, {
      client: client || 'unknown',
      version,
      sockets: (known?.sockets ?? 0) + sockets,
      polls: (known?.polls ?? 0) + polls,
    });
  };
  for (const [agent, sockets] of byAgent) add(agent, { sockets });
  for (const program of polled) add(program, { polls: 1 });
  const all = ({ sockets, polls }: ClientView) => sockets + polls;
  return [...programs.values()].sort(
    (one, other) => all(other) - all(one) || (one.client < other.client ? -1 : 1),
  );
}

function slow(realms: Realms | null, socket: OpenSocket): SlowSocket {
  const realm = realms?.all().find(({ id }) => id === socket.realmId);
  const user = realm?.isOpen() ? realm.reader.users.get([socket.userId]) : undefined;
  return {
    realm: realm?.stringId ?? '',
    user: user?.email ?? `user ${socket.userId}`,
    client: programIn(socket.userAgent).client || 'unknown',
    bufferedBytes: socket.bufferedBytes,
    stalledMs: socket.stalledMs,
  };
}
