import { type ChildProcess, type SpawnOptions, spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** A host of a network: a network namespace with an address of its own. */
export interface Host {
  readonly name: string;
  readonly address: string;
  /** Begins a command that runs on this host. */
  readonly prefix: readonly string[];
  /** Starts a program on this host. It is ended with the network, if it still runs. */
  run(program: string, args: readonly string[], options?: SpawnOptions): ChildProcess;
}

/**
 * Hosts that are joined by a switch. They are namespaces of the kernel, and what is done to their
 * packets is done by the kernel as well.
 */
export interface Network {
  /** The host of the test itself. */
  readonly here: Host;
  openHost(name: string): Host;
  /** Returns the hosts that were opened, in their order. */
  hosts(): readonly Host[];
  /** Drops the packets from one host to another, and not those back. */
  cut(from: Host, to: Host): void;
  /** Drops the packets between two hosts. */
  part(one: Host, other: Host): void;
  /** Drops the packets between a host and all others that there are now. */
  isolate(host: Host): void;
  /** Drops so many of a hundred packets from one host to another. */
  lose(from: Host, to: Host, percent: number): void;
  /** Delays what a host sends; returns false if the kernel cannot do that (`proxy.ts` can). */
  delay(host: Host, ms: number): boolean;
  /** Lets all packets through again, at once. */
  heal(): void;
  /** Ends what still runs on the hosts, and removes them. */
  close(): void;
}

/** Networks need root, `ip` and `nft`; without them tests of hosts count as skipped. */
export const isNetworkMissing =
  process.getuid?.() !== 0 ||
  spawnSync('nft', ['--version']).status !== 0 ||
  spawnSync('ip', ['netns', 'list']).status !== 0 ||
  !canMakeNamespace();

function canMakeNamespace(): boolean {
  const name = `cf-try-${process.pid}`;
  const isMade = spawnSync('ip', ['netns', 'add', name]).status === 0;
  if (isMade) spawnSync('ip', ['netns', 'del', name]);
  return isMade;
}

/** Names of interfaces have at most 15 characters: `cf`, the process, the number of the host. */
const nameOf = (pid: number, number: number | string) => `cf${pid.toString(36)}-${number}`;
const OWN_NAME = /\bcf([0-9a-z]+)-(?:\d+|b)\b/g;

const HOSTS_MAX = 200;
let networks = 0;

/** A host with what the network needs to know of it. */
interface Inner extends Host {
  readonly namespace: string | undefined;
}

interface Rule {
  readonly from: string;
  readonly to: string;
  readonly percent: number;
}

export function openNetwork(): Network {
  removeRemains();
  // Several networks of one process, and several processes, have addresses of their own.
  const subnet = `10.${100 + (process.pid % 100)}.${(Math.floor(process.pid / 100) + networks++) % 256}`;
  const bridge = nameOf(process.pid, 'b');
  const hosts: Inner[] = [];
  const rules: Rule[] = [];
  const children = new Set<ChildProcess>();
  command('ip', ['link', 'add', bridge, 'type', 'bridge']);
  command('ip', ['addr', 'add', `${subnet}.1/24`, 'dev', bridge]);
  command('ip', ['link', 'set', bridge, 'up']);

  function hostAt(name: string, address: string, namespace: string | undefined): Inner {
    const prefix = namespace === undefined ? [] : ['ip', 'netns', 'exec', namespace];
    return {
      name,
      address,
      namespace,
      prefix,
      run(program, args, options = {}) {
        const [first = program, ...words] = [...prefix, program, ...args];
        const child = spawn(first, words, options);
        children.add(child);
        child.on('error', () => {});
        child.on('exit', () => children.delete(child));
        return child;
      },
    };
  }
  const here = hostAt('here', `${subnet}.1`, undefined);

  function drop(from: Host, to: Host, percent: number): void {
    rules.push({ from: from.address, to: to.address, percent });
    apply();
  }
  /** Writes the rules of each host: what it does not take, and what it does not send to here. */
  function apply(): void {
    for (const { address, namespace } of hosts) {
      if (namespace === undefined) continue;
      const taken = rules
        .filter(({ to }) => to === address)
        .map(({ from, percent }) => {
          return `ip saddr ${from} ${chance(percent)}drop`;
        });
      const sent = rules
        .filter(({ from, to }) => from === address && to === here.address)
        .map(({ to, percent }) => `ip daddr ${to} ${chance(percent)}drop`);
      command('ip', ['netns', 'exec', namespace, 'nft', '-f', '-'], tableOf(taken, sent));
    }
  }

  function close(): void {
    process.off('exit', close);
    for (const child of children) child.kill('SIGKILL');
    for (const { namespace } of hosts) if (namespace !== undefined) removeNamespace(namespace);
    spawnSync('ip', ['link', 'del', bridge]);
    hosts.length = 0;
  }
  process.on('exit', close);

  return {
    here,
    openHost(name) {
      const number = hosts.length + 2;
      if (number > HOSTS_MAX) throw new RangeError(`A network has no more than ${HOSTS_MAX} hosts`);
      const namespace = nameOf(process.pid, `${networks}${number}`);
      const host = hostAt(name, `${subnet}.${number}`, namespace);
      hosts.push(host);
      join(namespace, bridge, host.address);
      return host;
    },
    hosts: () => [...hosts],
    cut: (from, to) => drop(from, to, 100),
    part(one, other) {
      rules.push({ from: one.address, to: other.address, percent: 100 });
      drop(other, one, 100);
    },
    isolate(host) {
      for (const other of [here, ...hosts]) {
        if (other.address === host.address) continue;
        rules.push({ from: host.address, to: other.address, percent: 100 });
        rules.push({ from: other.address, to: host.address, percent: 100 });
      }
      apply();
    },
    lose: (from, to, percent) => drop(from, to, percent),
    delay(host, ms) {
      const { namespace } = hosts.find(({ address }) => address === host.address) ?? {};
      if (namespace === undefined) return false;
      const words = `netns exec ${namespace} tc qdisc replace dev eth0 root netem delay ${ms}ms`;
      return spawnSync('ip', words.split(' ')).status === 0;
    },
    heal() {
      rules.length = 0;
      apply();
      for (const { namespace } of hosts) {
        if (namespace === undefined) continue;
        spawnSync('ip', `netns exec ${namespace} tc qdisc del dev eth0 root`.split(' '));
      }
    },
    close,
  };
}

const chance = (percent: number) =>
  percent >= 100 ? '' : `numgen random mod 10000 < ${Math.round(percent * 100)} `;

const tableOf = (taken: readonly string[], sent: readonly string[]) => `
table inet confab
delete table inet confab
table inet confab {
  chain taken {
    type filter hook input priority 0
${taken.map((rule) => `    ${rule}`).join('\n')}
  }
  chain sent {
    type filter hook output priority 0
${sent.map((rule) => `    ${rule}`).join('\n')}
  }
}
`;

/** Makes a namespace, and joins it to the switch by a pair of interfaces. */
function join(namespace: string, bridge: string, address: string): void {
  command('ip', ['netns', 'add', namespace]);
  const inside = ['-n', namespace];
  command('ip', ['link', 'add', namespace, 'type', 'veth', 'peer', 'eth0', 'netns', namespace]);
  command('ip', ['link', 'set', namespace, 'master', bridge, 'up']);
  command('ip', [...inside, 'addr', 'add', `${address}/24`, 'dev', 'eth0']);
  command('ip', [...inside, 'link', 'set', 'eth0', 'up']);
  command('ip', [...inside, 'link', 'set', 'lo', 'up']);
}

function removeNamespace(namespace: string): void {
  const { stdout } = spawnSync('ip', ['netns', 'pids', namespace], { encoding: 'utf8' });
  for (const pid of (stdout ?? '').split('\n').filter(Boolean)) {
    try {
      process.kill(Number(pid), 'SIGKILL');
    } catch {
      // It has ended meanwhile.
    }
  }
  spawnSync('ip', ['link', 'del', namespace]);
  spawnSync('ip', ['netns', 'del', namespace]);
}

/** Removes what processes left that were killed before they could. */
function removeRemains(): void {
  const found = (words: string[]) => {
    const { stdout } = spawnSync('ip', words, { encoding: 'utf8' });
    return Array.from((stdout ?? '').matchAll(OWN_NAME), ([name, pid = '']) => ({ name, pid }));
  };
  const isGone = ({ pid }: { pid: string }) => !existsSync(`/proc/${Number.parseInt(pid, 36)}`);
  for (const { name } of found(['netns', 'list']).filter(isGone)) removeNamespace(name);
  for (const { name } of found(['-o', 'link', 'show', 'type', 'bridge']).filter(isGone)) {
    spawnSync('ip', ['link', 'del', name]);
  }
}

function command(program: string, args: readonly string[], input = ''): void {
  const { status, stderr } = spawnSync(program, args, { input, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${stderr}`);
}
