// This file lists all commands with their arguments. It imports words alone, so that help and
// completion need not load the server. The schemas of the arguments are in `src/admin/commands.ts`
// and the files that it imports.

import { AUDIT_KINDS } from '../domain/wire/audit-kinds.ts';
import { IMPORT_COMMANDS } from './import-formats.ts';

export interface OptionSpec {
  /** A placeholder for the value in usages, such as `<name>`; a flag has none. */
  readonly value?: string;
  readonly help: string;
  readonly isRequired?: true;
  /**
   * How the text is read: a path is made absolute, because a server has another folder; a place is
   * a path or an address of S3-compatible storage.
   */
  readonly as?: 'path' | 'place' | 'json' | 'accounts';
  /** The values that there are, for completion. */
  readonly oneOf?: readonly string[];
}

export interface CommandSpec {
  readonly summary: string;
  /** The argument that follows the command without a name. */
  readonly operand?: { readonly value: string; readonly isRequired?: true };
  readonly options?: Readonly<Record<string, OptionSpec>>;
  /** More lines of its help. */
  readonly about?: string;
}

const realm: OptionSpec = {
  value: '<realm>',
  help: 'the realm; otherwise the only one there is, or demo',
};
const email: OptionSpec = { value: '<address>', help: 'the mail address', isRequired: true };
const fullName: OptionSpec = { value: '<full name>', help: 'the full name', isRequired: true };
const ROLES = ['owner', 'administrator', 'moderator', 'member', 'guest'] as const;
const SHELLS = ['bash', 'zsh', 'fish'] as const;

/** The commands by what they are about, in the order of the help. */
export const GROUPS = {
  Server: {
    serve: {
      summary: 'runs the server on the data directory until it is stopped',
      about: 'Settings are environment variables: docs/settings.md lists all of them.',
    },
    init: {
      summary: 'makes the data directory and a first realm with an owner',
      options: {
        email: { ...email, help: 'the mail address of the owner' },
        name: { ...fullName, help: 'the full name of the owner' },
        realm: { value: '<realm>', help: 'the name of the realm; otherwise main' },
        title: { value: '<text>', help: 'the full name of the realm; otherwise its name' },
        password: { value: '<text>', help: 'the password of the owner; otherwise one is made up' },
      },
    },
    demo: { summary: 'shows the people of the demo realm and their passwords' },
    status: {
      summary: 'tells whether the server is ready, also by its exit code',
      about:
        'Exit code 0: it is ready, as /readyz says; 1: it is not, and the reasons are shown. It can be\n' +
        'the health check of a container, and gives up after 10 seconds.',
    },
    console: {
      summary: 'prints an address that opens the console, once',
      about: 'It is good for five minutes. docs/console.md shows the console.',
    },
    doctor: {
      summary: 'examines the machine and the settings, and says what to do',
      about: 'Exit code 0: nothing must be mended; 1: something must.',
    },
    check: {
      summary: 'looks for damage in the stored data',
      options: { realm: { value: '<realm>', help: 'only this realm, by its name or number' } },
      about:
        'Exit code 1: there is damage; 2: the check could not be made. docs/backups.md says more.',
    },
  },
  Cluster: {
    'cluster status': {
      summary: 'shows shards, who owns each, and who has copies',
    },
    'cluster nodes': { summary: 'shows the nodes of the cluster that live' },
    'cluster move': {
      summary: 'gives a shard to another node, once that has a copy',
      options: {
        shard: { value: '<number>', help: 'the shard', isRequired: true },
        to: { value: '<node>', help: 'the node that gets it', isRequired: true },
      },
      about:
        'It is pinned there if that node would not keep it otherwise, until `confab cluster unpin`.',
    },
    'cluster unpin': {
      summary: 'lets a shard go where it would be without a move',
      options: { shard: { value: '<number>', help: 'the shard', isRequired: true } },
    },
    'cluster drain': {
      summary: 'gives away all shards and copies of a node',
      options: { node: { value: '<node>', help: 'another node than this one' } },
      about:
        'It holds until `confab cluster undrain`, also when the node is started again. A node that is\n' +
        'lost can be named as well.',
    },
    'cluster undrain': {
      summary: 'has a drained node take its place again',
      options: { node: { value: '<node>', help: 'another node than this one' } },
    },
    'cluster upgrade': {
      summary: 'migrates all stores, once all nodes run a new version',
      about:
        'It refuses while a node runs another version, and changes nothing where all is done.\n' +
        'Each shard is away for as long as its stores are migrated, as when it moves.',
    },
    'cluster verify': {
      summary: 'compares the copies of realms at all nodes',
      options: { shard: { value: '<number>', help: 'only this shard; otherwise all' } },
      about:
        'Exit code 0: all copies are the same; 1: some differ, or could not be compared.\n' +
        'Nobody waits for it. docs/cluster.md says what to do with a copy that differs.',
    },
    'cluster snapshot': {
      summary: 'takes snapshots of the realms that this node follows',
      about:
        'Logs become shorter then. Nodes take snapshots by themselves once a day; the\n' +
        'owner of a shard leaves them to the others.',
    },
    'cluster adopt': {
      summary: 'makes the realms of a stopped server those of a cluster',
      about:
        'All nodes have to be stopped. It can be repeated if it was cut short.\n' +
        'The directory keeps its stores as realms.adopted.',
    },
    'cluster leave': {
      summary: 'makes the directory of a node that of a server',
      about: 'All nodes have to be stopped, for good.',
    },
    'cluster rebuild-log': {
      summary: 'begins lost logs anew over the nodes that have most',
      options: {
        from: { value: '<node>', help: 'the node to begin over, of what it has' },
        wait: { value: '<seconds>', help: 'how long to wait for another node; 15 otherwise' },
      },
      about:
        'All nodes have to be stopped. Run it on all of them at the same time: each says what it\n' +
        'has, and the log of a shard begins over the node with the newest record. Copies of the\n' +
        'others are put aside, into realms.former/.',
    },
  },
  Realms: {
    'realm create': {
      summary: 'makes a realm',
      operand: { value: '<name>', isRequired: true },
      options: { title: { value: '<text>', help: 'the full name; otherwise the name' } },
    },
    'realm list': { summary: 'lists the realms' },
    'realm show': { summary: 'shows one realm', options: { realm } },
    'realm rename': {
      summary: 'gives a realm another name; its former names still find it',
      options: {
        to: { value: '<name>', help: 'the new name', isRequired: true },
        realm,
      },
    },
    'realm deactivate': {
      summary: 'closes a realm and keeps its data',
      options: { realm },
    },
    'realm reactivate': { summary: 'opens a deactivated realm', options: { realm } },
    'realm delete': {
      summary: 'removes a deactivated realm with all its data, for good',
      operand: { value: '<name>', isRequired: true },
      options: { yes: { help: 'says that it is meant; there is no way back', isRequired: true } },
    },
    'realm set': {
      summary: 'changes a setting of a realm',
      options: {
        setting: { value: '<name>', help: 'the name, as in docs/api.md', isRequired: true },
        value: { value: '<JSON>', help: 'the value', isRequired: true, as: 'json' },
        realm,
      },
    },
    audit: {
      summary: 'shows who changed accounts, rights, settings and keys',
      operand: { value: '[realm]' },
      options: {
        since: { value: '<time>', help: 'from this time on, such as 2026-11-25 (UTC)' },
        until: { value: '<time>', help: 'before this time' },
        kind: { value: '<kind>', help: 'changes of things of this kind', oneOf: AUDIT_KINDS },
        user: { value: '<address>', help: 'what this account has done' },
        limit: { value: '<number>', help: 'the newest so many; otherwise 1000' },
        before: { value: '<id>', help: 'what came before the line with this id' },
        realm,
      },
      about: `Oldest first. Kinds: ${AUDIT_KINDS.join(', ')}.`,
    },
    'realm export': {
      summary: 'writes a realm into an archive',
      options: {
        file: { value: '<new file>', help: 'the archive', isRequired: true, as: 'path' },
        kind: {
          value: '<kind>',
          help: 'whole (the default), standard or public',
          oneOf: ['whole', 'standard', 'public'],
        },
        realm,
      },
    },
    'realm import': {
      summary: 'makes a realm from an archive',
      options: {
        file: { value: '<archive>', help: 'the archive', isRequired: true, as: 'path' },
        name: { value: '<name>', help: 'the name of the new realm', isRequired: true },
      },
    },
  },
  Imports: IMPORT_COMMANDS,
  Accounts: {
    'user create': {
      summary: 'makes an account and prints an API key of it',
      options: {
        email,
        name: fullName,
        role: { value: '<role>', help: `${ROLES.join(', ')}; otherwise member`, oneOf: ROLES },
        realm,
        password: { value: '<text>', help: 'the password; otherwise a link sets one' },
      },
    },
    'user list': { summary: 'lists the accounts of a realm', options: { realm } },
    'user show': { summary: 'shows one account', options: { email, realm } },
    'user role': {
      summary: 'gives an account another role',
      options: {
        email,
        role: { value: '<role>', help: ROLES.join(', '), isRequired: true, oneOf: ROLES },
        realm,
      },
    },
    'user password': {
      summary: 'sets a password, and ends all keys and sessions',
      options: {
        email,
        realm,
        password: { value: '<text>', help: 'the password; otherwise it is read, which is safer' },
      },
      about:
        'Without --password it is asked for on a terminal; else the first line that comes in is it.',
    },
    'user password-link': {
      summary: 'makes a link by which the person sets a password',
      options: {
        email,
        mail: { help: 'mails it to the account and does not print it' },
        realm,
      },
      about:
        'The link works once, within a day. Whoever has it can set the password, so hand it on safely.\n' +
        'Setting the password ends all keys and sessions of the account.',
    },
    'user reset-2fa': {
      summary: 'takes the second step of log-ins away from a person',
      options: { email, realm },
    },
    'user unlink': {
      summary: 'forgets by which providers and directories a person came',
      options: { email, realm },
      about: 'The next person who signs in by one of them with the address of the account gets it.',
    },
    'user deactivate': { summary: 'closes an account and its bots', options: { email, realm } },
    'user reactivate': { summary: 'opens a deactivated account', options: { email, realm } },
    'users import': {
      summary: 'makes many accounts and prints an API key of each',
      options: {
        file: {
          value: '<file>',
          help: 'JSON lines of {"full_name","email"}',
          isRequired: true,
          as: 'accounts',
        },
        realm,
      },
    },
    'bot create': {
      summary: 'makes a bot and prints an API key of it',
      options: {
        email,
        name: fullName,
        owner: { value: '<address>', help: 'whose bot it is', isRequired: true },
        type: {
          value: '<type>',
          help: 'generic (the default), incoming-webhook or outgoing-webhook',
          oneOf: ['generic', 'incoming-webhook', 'outgoing-webhook'],
        },
        'payload-url': { value: '<URL>', help: 'where an outgoing webhook posts' },
        interface: { value: '<1 or 2>', help: 'the format that it posts', oneOf: ['1', '2'] },
        realm,
      },
    },
    'key create': {
      summary: 'prints a further API key of an account',
      options: { email, realm },
    },
    'scim token': {
      summary: 'prints a new token with which a directory writes accounts',
      options: { revoke: { help: 'ends the token, and makes none' }, realm },
      about: 'A realm has one token: a new one ends the former. docs/operating/scim.md says more.',
    },
  },
  Directories: {
    'ldap sync': {
      summary: 'has accounts follow their directories now',
      options: { 'dry-run': { help: 'changes nothing, and counts what it would change' } },
      about: 'docs/operating/ldap.md says what a sync does, and when it refuses.',
    },
  },
  Pushes: {
    'push test': {
      summary: 'pushes a test to the devices of a person',
      options: { email, realm },
      about:
        'It says what each push service answered; docs/operating/push.md explains that.\n' +
        'Exit code 0: each service that was asked took it; 1: one did not, or none\n' +
        'was asked.',
    },
  },
  Backups: {
    'backup create': {
      summary: 'copies the whole server into a new folder',
      options: {
        to: {
          value: '<folder>',
          help: 'the folder of all backups, or s3://bucket/prefix',
          isRequired: true,
          as: 'place',
        },
        'no-verify': { help: 'does not read the new backup again' },
      },
    },
    'backup status': { summary: 'shows when the server last backed itself up' },
    'backup list': {
      summary: 'lists the backups in a folder',
      options: {
        in: {
          value: '<folder>',
          help: 'the folder of all backups, or s3://bucket/prefix',
          isRequired: true,
          as: 'place',
        },
      },
    },
    'backup verify': {
      summary: 'reads a backup and compares all hashes',
      options: {
        from: { value: '<backup>', help: 'the backup', isRequired: true, as: 'place' },
      },
    },
    'backup restore': {
      summary: 'makes a data directory from a backup',
      options: {
        from: { value: '<backup>', help: 'the backup', isRequired: true, as: 'place' },
        to: {
          value: '<new data directory>',
          help: 'missing or empty',
          isRequired: true,
          as: 'path',
        },
      },
    },
  },
  Help: {
    completion: {
      summary: 'prints a script that completes commands in a shell',
      operand: { value: `<${SHELLS.join('|')}>`, isRequired: true },
    },
    help: { summary: 'explains a command', operand: { value: '[command]' } },
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, CommandSpec>>>>;

type Groups = typeof GROUPS;
type KeysOfAll<Union> = Union extends unknown ? keyof Union : never;
export type CommandName = KeysOfAll<Groups[keyof Groups]>;

const ALL: ReadonlyMap<string, CommandSpec> = new Map(
  Object.values(GROUPS).flatMap((group) => Object.entries<CommandSpec>(group)),
);

export const COMMAND_NAMES: readonly string[] = [...ALL.keys()];

export const specOf = (name: string): CommandSpec | undefined => ALL.get(name);

/** Returns what the command takes, in one line: `realm create <name> [--title <text>]`. */
export function usageOf(name: CommandName): string {
  const { operand, options = {} }: CommandSpec = ALL.get(name) ?? { summary: '' };
  const given = Object.entries(options).map(([option, { value, isRequired }]) => {
    const text = value === undefined ? `--${option}` : `--${option} ${value}`;
    return isRequired ? text : `[${text}]`;
  });
  return [name, ...(operand === undefined ? [] : [operand.value]), ...given].join(' ');
}
