import { z } from 'zod';
import { AUDIT_ENTRIES_PER_PAGE_MAX } from '../../domain/limits/organizations.ts';
import { auditEntry } from '../../domain/wire/audit.ts';
import { AUDIT_KINDS } from '../../domain/wire/audit-kinds.ts';
import * as auditLog from '../../operations/realm/audit-log.ts';
import { endpoint } from '../endpoint.ts';
import { integer, naturalNumber, oneOf } from '../params.ts';
import { administratorsOnly } from '../permissions.ts';

const ENTRIES_PER_PAGE = 100;

export const getAuditLog = endpoint({
  summary: 'Get the audit log of the organization',
  description:
    'Who changed what of accounts, roles, settings, rights of channels and groups, keys, invitations and exports, newest first. ' +
    'A page may be shorter than `num`, or empty, and not be the last: ask on with its `next_before` as `before` until that is ' +
    'null. Addresses that their owners show to nobody are hidden. The operator of the server may limit how long the log is kept.',
  method: 'GET',
  path: '/realm/audit_log',
  rate: 'search',
  allow: administratorsOnly,
  params: {
    before: naturalNumber.optional().describe('Acts before the one with this id'),
    num: naturalNumber
      .refine(
        (value) => value >= 1 && value <= AUDIT_ENTRIES_PER_PAGE_MAX,
        `is not from 1 to ${AUDIT_ENTRIES_PER_PAGE_MAX}`,
      )
      .default(ENTRIES_PER_PAGE)
      .describe(`At most ${AUDIT_ENTRIES_PER_PAGE_MAX}`),
    kind: oneOf(AUDIT_KINDS).optional().describe('Acts on things of this kind'),
    acting_user_id: integer.optional().describe('Acts of this account'),
    since: naturalNumber.optional().describe('UNIX seconds'),
    until: naturalNumber.optional().describe('UNIX seconds, exclusive'),
  },
  refuses: ['BAD_REQUEST', 'UNAUTHORIZED_PRINCIPAL'],
  reply: {
    entries: z.array(auditEntry).describe('Newest first'),
    next_before: z.int().nullable().describe('For the next page; null: there are no more'),
  },
  read(reader, { user, params }) {
    const { entries, nextBefore } = auditLog.page(reader, {
      before: params.before,
      count: params.num,
      kind: params.kind,
      actingUserId: params.acting_user_id,
      since: msOf(params.since),
      until: msOf(params.until),
    });
    return {
      entries: entries.map((entry) => auditLog.shownTo(reader, user, entry)),
      next_before: nextBefore,
    };
  },
});

const msOf = (seconds: number | undefined) => (seconds === undefined ? undefined : seconds * 1000);
