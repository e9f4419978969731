import type { z } from 'zod';
import { type CommandName as AnyCommand, usageOf } from '../command-line/catalogue.ts';
import type { ServerSettings } from '../config.ts';
import { faultWords } from '../domain/rules/texts/fault-words.ts';
import * as errors from '../domain/wire/errors.ts';
import {
  BACKUP_COMMANDS,
  BACKUP_CREATE,
  BACKUP_STATUS,
  createHere,
  statusHere,
} from './backups.ts';
import { CHECK, check } from './checks.ts';
import { AUDIT_ARGS, audit } from './commands/audit-command.ts';
import { LDAP_ARGS, LDAP_COMMANDS } from './commands/ldap-commands.ts';
import { PUSH_ARGS, PUSH_COMMANDS } from './commands/push-commands.ts';
import { REALM_ARGS, REALM_COMMANDS } from './commands/realm-commands.ts';
import { wrongArgument } from './commands/refusals.ts';
import { USER_ARGS, USER_COMMANDS } from './commands/user-commands.ts';
import type { Realms } from './deployment.ts';

/** The commands on a data directory, which work with and without a server on it. */
const ARGS = {
  ...REALM_ARGS,
  ...USER_ARGS,
  ...LDAP_ARGS,
  ...PUSH_ARGS,
  audit: AUDIT_ARGS,
  'backup create': BACKUP_CREATE.args,
  'backup status': BACKUP_STATUS.args,
} as const;

export type CommandName = keyof typeof ARGS;
type Args<Name extends CommandName> = z.output<(typeof ARGS)[Name]>;

const RUN: { [Name in CommandName]: (realms: Realms, args: Args<Name>) => Promise<object[]> } = {
  ...REALM_COMMANDS,
  ...USER_COMMANDS,
  ...LDAP_COMMANDS,
  ...PUSH_COMMANDS,
  audit,
  'backup create': createHere,
  'backup status': async (realms) => [statusHere(realms)],
};

/** All commands whose arguments are checked here; their usages are in the catalogue. */
export const COMMANDS_HERE: readonly AnyCommand[] = [
  ...(Object.keys(ARGS) as CommandName[]),
  ...(Object.keys(BACKUP_COMMANDS) as (keyof typeof BACKUP_COMMANDS)[]),
  'check',
];

/**
 * Runs a command and returns its output, which is printed as one JSON object a line. Refuses with
 * an `ApiError`.
 */
export async function runCommand(realms: Realms, name: string, args: unknown): Promise<object[]> {
  if (!Object.hasOwn(ARGS, name)) throw errors.badRequest(`Unknown command: ${name}`);
  const known = name as CommandName; // as was just seen
  return RUN[known](realms, argsOf(known, ARGS[known], args) as never); // parsed by its own schema
}

type LocalName = keyof typeof BACKUP_COMMANDS;

/** Tells whether a command needs neither a data directory nor a server. */
export const isLocal = (name: string): name is LocalName => Object.hasOwn(BACKUP_COMMANDS, name);

export const runLocal = (
  name: LocalName,
  args: unknown,
  { s3 }: ServerSettings,
): Promise<object[]> =>
  BACKUP_COMMANDS[name].run(argsOf(name, BACKUP_COMMANDS[name].args, args) as never, s3); // as above

export const runCheck = (data: string, args: unknown, settings: ServerSettings) =>
  check(data, argsOf('check', CHECK.args, args) as z.output<typeof CHECK.args>, settings); // parsed by it

function argsOf(name: AnyCommand, schema: z.ZodType, args: unknown) {
  const parsed = schema.safeParse(args, { error: faultWords });
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw wrongArgument(`${issue?.path.join('.')} ${issue?.message}. Usage: confab ${usageOf(name)}`);
}
