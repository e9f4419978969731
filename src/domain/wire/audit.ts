/**
 * The audit log of an organization: who changed what of its accounts, roles, settings, rights, keys
 * and exports.
 */
import { z } from 'zod';
import { AUDIT_KINDS } from './audit-kinds.ts';
import { id, timestamp } from './objects.ts';

export const AUDIT_OPS = ['add', 'update', 'remove'] as const;
export type AuditOp = (typeof AUDIT_OPS)[number];

/** Acts are of an account, of the operator or a directory, or of the server by itself. */
export const AUDIT_ACTORS = ['user', 'operator', 'server', 'scim'] as const;

/** The id of an account, or one of those that have none. */
export type AuditActor = number | Exclude<(typeof AUDIT_ACTORS)[number], 'user'>;

/** The id of the thing, or its name where it has no id. */
export type AuditTarget = number | string;

/** Values by their names in the API, where they have one; JSON. */
export type AuditValues = Readonly<Record<string, unknown>>;

/** Stands in the log for a value that is secret. */
export const HIDDEN = '(hidden)';

const values = z
  .record(z.string(), z.unknown())
  .nullable()
  .describe(
    `Only what differs, by names of the API. Secrets are \`${HIDDEN}\`; long texts and lists are cut, which \`…\` at the end tells`,
  );

export const auditEntry = z
  .strictObject({
    id: id.describe('Later acts have higher ones'),
    time: timestamp,
    by: z.enum(AUDIT_ACTORS),
    acting_user_id: id.nullable().describe('Null: it was no account'),
    kind: z.enum(AUDIT_KINDS),
    op: z.enum(AUDIT_OPS),
    target: z
      .union([id, z.string()])
      .describe(
        'The id or name of the thing; of members it is their group or channel. A key or a session is `<user id>/<its id>`, an invitation `email/<id>` or `link/<id>`',
      ),
    before: values,
    after: values,
  })
  .meta({ id: 'AuditEntry' });
export type AuditEntry = Readonly<z.input<typeof auditEntry>>;
