import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { XMPP_HOST } from '../load/rooms/xmpp.ts';
import { belonging } from './belongings.ts';
import { freePort } from './free-port.ts';
import { keepOutput, type RunningServer, running } from './start.ts';

export const INSTALL_EJABBERD = 'apt-get install --no-install-recommends ejabberd';

// Debian puts Erlang, and the libraries of all its architectures, here.
const ERLANG = '/usr/bin/erl';
const LIBRARIES = '/usr/lib';
const START_MS_MAX = 30_000;

/**
 * The folder that has ejabberd's compiled code beside what it needs; undefined when there is none.
 */
export function ejabberdLibraries(): string | undefined {
  if (!existsSync(ERLANG)) return undefined;
  return readdirSync(LIBRARIES)
    .filter((name) => name.endsWith('-linux-gnu'))
    .map((name) => join(LIBRARIES, name))
    .find((folder) => readdirSync(folder).some((name) => /^ejabberd-\d/.test(name)));
}

/**
 * A server of this run alone: its data and its configuration lie in `data`, and it is no node, so
 * that it needs no name daemon and nobody reaches it but by its one port.
 */
export async function startEjabberd(data: string): Promise<RunningServer> {
  const libraries = ejabberdLibraries();
  if (libraries === undefined) throw new Error(`no ejabberd here: ${INSTALL_EJABBERD}`);
  const port = await freePort();
  const configuration = join(data, 'ejabberd.yml');
  mkdirSync(join(data, 'spool'), { recursive: true });
  writeFileSync(configuration, configurationOf(port));
  const database = ['-mnesia', 'dir', `"${join(data, 'spool')}"`];
  const child = belonging(
    spawn(ERLANG, [...VIRTUAL_MACHINE, ...database, '-s', 'ejabberd'], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: '/usr/bin:/bin',
        HOME: data,
        ERL_LIBS: libraries,
        EJABBERD_CONFIG_PATH: configuration,
        EJABBERD_LOG_PATH: join(data, 'ejabberd.log'),
        ERL_CRASH_DUMP_BYTES: '0',
      },
    }),
  );
  const output = keepOutput(child);
  const address = { host: '127.0.0.1', port };
  const deadlineMs = performance.now() + START_MS_MAX;
  while (!(await listens(port))) {
    if (child.exitCode !== null || performance.now() > deadlineMs) {
      child.kill('SIGKILL');
      throw new Error(`ejabberd did not start:\n${output.join('\n')}`);
    }
    await delay(50);
  }
  return running('ejabberd', child, address, []);
}

// As its own start script has them: kernel polling, and room for a process for each connection.
const VIRTUAL_MACHINE = ['+K', 'true', '+P', '250000', '+Q', '65536', '-noshell', '-noinput'];

/**
 * Anybody may log in by any name. Whatever would slow a room down or add to its work is off: rates,
 * archive, history, and the presences of everyone to everyone, of which 5,000 members make 25
 * million.
 */
function configurationOf(port: number): string {
  return `
hosts: [${XMPP_HOST}]
loglevel: warning
auth_method: [anonymous]
anonymous_protocol: login_anon
max_fsm_queue: 100000
listen:
  - port: ${port}
    ip: "127.0.0.1"
    module: ejabberd_c2s
    backlog: 1024
    shaper: none
    access: all
modules:
  mod_muc:
    access: all
    access_create: all
    history_size: 0
    max_users: 20000
    user_message_shaper: none
    user_presence_shaper: none
    room_shaper: none
    default_room_options:
      max_users: 20000
      mam: false
      presence_broadcast: []
`;
}

async function listens(port: number): Promise<boolean> {
  const socket = connect({ host: '127.0.0.1', port });
  try {
    return await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    });
  } finally {
    socket.destroy();
  }
}
