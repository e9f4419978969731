import { hostname } from 'node:os';
import { z } from 'zod';
import { ConfigError, type Environment, flag, orNull, variable, whole } from './reading.ts';

/** A node of a cluster, as its operator has set it up. */
export interface ClusterSettings {
  /** The servers of the log. */
  readonly servers: readonly string[];
  /** The file of the credentials for them; null: they ask for none. */
  readonly credentialsFile: string | null;
  /** The file of the authorities that vouch for servers by `tls://`; null: those of Node. */
  readonly authoritiesFile: string | null;
  /** The name of this node among the others. */
  readonly node: string;
  /** The place where the other nodes reach this one, which listens there. */
  readonly address: { readonly host: string; readonly port: number };
  /** How long an owner may be silent until another node claims its shards. */
  readonly silenceMs: number;
  /** The nodes that hold a copy of each shard. */
  readonly copies: number;
  /** How long a node may be away until others copy what it holds. */
  readonly absenceMs: number;
  /** The number of shards of a cluster that is founded. */
  readonly shards: number;
  /** True if records may be lost when machines are, as in tests. */
  readonly isUnsafe: boolean;
}

const NODE = /^[A-Za-z0-9_-]{1,63}$/;
const SERVER = /^(nats|tls):\/\/[^\s,]+$/;
const SHARDS = 32;
const SHARDS_MAX = 1_024;
const SILENCE_MS = 1_500;
const COPIES = 2;
/** More than all nodes of a cluster: each holds everything. */
const COPIES_MAX = 1_000;
/** A minute is longer than a start takes, so that a restart copies nothing. */
const ABSENCE_MS = 60_000;

/** Reads the settings of a cluster; null: this process is the only one. */
export function clusterSettings() {
  const readServers = variable('CONFAB_CLUSTER', z.string().default(''));
  const readCredentials = variable('CONFAB_CLUSTER_CREDENTIALS', orNull(z.string()));
  const readAuthorities = variable('CONFAB_CLUSTER_CA', orNull(z.string()));
  const readNode = variable('CONFAB_NODE', z.string().default(''));
  const readAddress = variable('CONFAB_CLUSTER_ADDRESS', z.string().default(''));
  const readSilence = variable(
    'CONFAB_SILENCE_MS',
    whole({ min: 500, max: 60_000 }).default(SILENCE_MS),
  );
  const readCopies = variable('CONFAB_COPIES', whole({ min: 1, max: COPIES_MAX }).default(COPIES));
  const readAbsence = variable(
    'CONFAB_ABSENCE_MS',
    whole({ min: 1_000, max: 86_400_000 }).default(ABSENCE_MS),
  );
  const readShards = variable(
    'CONFAB_CLUSTER_SHARDS',
    whole({ min: 1, max: SHARDS_MAX }).default(SHARDS),
  );
  const readUnsafe = flag('CONFAB_CLUSTER_UNSAFE', '0');
  return (env: Environment): ClusterSettings | null => {
    const said = readServers(env);
    const given = {
      credentialsFile: readCredentials(env),
      authoritiesFile: readAuthorities(env),
      silenceMs: readSilence(env),
      copies: readCopies(env),
      absenceMs: readAbsence(env),
      shards: readShards(env),
      isUnsafe: readUnsafe(env),
    };
    const [node, address] = [readNode(env), readAddress(env)];
    if (said === '') return null;
    const servers = said.split(',').map((server) => server.trim());
    if (!servers.every((server) => SERVER.test(server) && URL.canParse(server))) {
      throw new ConfigError(
        'CONFAB_CLUSTER is no list of servers like nats://a:4222,nats://b:4222',
      );
    }
    if (given.authoritiesFile !== null && !servers.every((server) => server.startsWith('tls:'))) {
      throw new ConfigError(
        'CONFAB_CLUSTER_CA is for servers by tls://, which CONFAB_CLUSTER has not',
      );
    }
    refuseTogether(env);
    if (!given.isUnsafe) requireFiles(env);
    return Object.freeze({
      ...given,
      servers: Object.freeze(servers),
      node: nodeName(node),
      address: addressIn(address),
    });
  };
}

/** Settings that a node of a cluster does not have. */
function refuseTogether(env: Environment) {
  const isSet = (name: string) => !['', '0', undefined].includes(env[name]);
  if (isSet('CONFAB_GATEWAYS')) {
    throw new ConfigError('CONFAB_GATEWAYS and CONFAB_CLUSTER do not go together: run more nodes');
  }
  if (isSet('CONFAB_ACME_EMAIL')) {
    throw new ConfigError(
      'CONFAB_ACME_EMAIL and CONFAB_CLUSTER do not go together: the balancer has the certificate',
    );
  }
  if (isSet('CONFAB_DEMO')) {
    throw new ConfigError(
      'CONFAB_DEMO and CONFAB_CLUSTER do not go together: make a realm instead',
    );
  }
}

/** Any node may be asked for a file, so that files are where all nodes reach them. */
function requireFiles({ CONFAB_FILES: files = '' }: Environment) {
  if (files !== '' && files !== 'local') return;
  throw new ConfigError('CONFAB_CLUSTER needs CONFAB_FILES, an address like s3://bucket/folder');
}

function nodeName(said: string): string {
  const name = said === '' ? (hostname().split('.')[0] ?? '') : said;
  if (NODE.test(name)) return name;
  throw new ConfigError(
    'CONFAB_NODE is no name of a node: up to 63 letters, digits, dashes and underscores',
  );
}

function addressIn(said: string): ClusterSettings['address'] {
  const [, bracketed, plain, digits] =
    /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]\s]+)):(\d{1,5})$/.exec(said) ?? [];
  const host = bracketed ?? plain ?? '';
  const port = Number(digits);
  if (host === '' || port > 65_535) {
    throw new ConfigError(
      'CONFAB_CLUSTER needs CONFAB_CLUSTER_ADDRESS, an address like 10.0.0.5:8090 at which other nodes reach this one',
    );
  }
  return Object.freeze({ host, port });
}
