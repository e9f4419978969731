import { z } from 'zod';
import * as errors from '../../domain/wire/errors.ts';
import type { Realms } from '../deployment.ts';
import { syncDirectories } from '../directories/sync.ts';

export const LDAP_ARGS = {
  'ldap sync': z.object({ 'dry-run': z.literal(true).optional() }),
} as const;

type Args<Name extends keyof typeof LDAP_ARGS> = z.output<(typeof LDAP_ARGS)[Name]>;

export const LDAP_COMMANDS: {
  [Name in keyof typeof LDAP_ARGS]: (realms: Realms, args: Args<Name>) => Promise<object[]>;
} = {
  'ldap sync': async (realms, { 'dry-run': isDry = false }) => {
    if (!realms.settings.signIn.some(({ type }) => type === 'ldap')) {
      throw errors.badRequest('CONFAB_SIGN_IN has no entry of the type ldap');
    }
    return await syncDirectories(realms, { isDry });
  },
};
