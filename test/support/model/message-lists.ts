import { parseNarrow } from '../../../src/domain/rules/messages/narrow.ts';
import { type Anchor, fetchMessages } from '../../../src/operations/reading/message-list.ts';
import { SITE } from '../site.ts';
import { userOf } from './modelled-acts.ts';
import type { ModelledRealm } from './modelled-realm.ts';

export const LAST = 10_000_000_000_000_000;

export const FORM = { applyMarkdown: false, clientGravatar: false, allowEmptyTopicName: true };

export interface Query {
  readonly as: number;
  readonly narrow?: unknown;
  readonly anchor?: Anchor;
  readonly before?: number;
  readonly after?: number;
  readonly includeAnchor?: boolean;
  readonly form?: Partial<typeof FORM>;
}

export function fetch({ reader }: ModelledRealm, query: Query) {
  const { as, narrow, anchor = 'newest', before = 0, after = 0, includeAnchor = true } = query;
  const list = fetchMessages(reader, {
    ...FORM,
    ...query.form,
    user: userOf(reader, as),
    site: SITE,
    narrow: parseNarrow(narrow),
    anchor,
    includeAnchor,
    numBefore: before,
    numAfter: after,
  });
  return { ...list, messages: list.messages as Wire[] };
}

export interface Wire {
  readonly id: number;
  readonly flags: readonly string[];
  readonly [field: string]: unknown;
}

export const ids = (list: { messages: readonly Wire[] }) => list.messages.map(({ id }) => id);

export const ALL_BEFORE = { before: 5000 };
