import { table } from '../../table.ts';

/** Something that the organization wants to have in the profiles of its people. */
export interface ProfileFieldRow {
  readonly id: number;
  /** 1 short text, 2 long text, 3 options, 4 date, 5 link, 6 users, 7 external account, 8 pronouns. */
  readonly type: number;
  readonly name: string;
  readonly hint: string;
  /** JSON, of options and external accounts; else empty. */
  readonly fieldData: string;
  /** Fields are shown in this order. */
  readonly order: number;
  readonly isRequired: boolean;
  readonly isEditable: boolean;
  readonly isInSummary: boolean;
}

export const profileFields = table<[fieldId: number], ProfileFieldRow>('profile_fields', [
  'id',
  'type',
  'name',
  'hint',
  'fieldData',
  'order',
  'isRequired',
  'isEditable',
  'isInSummary',
]);

export interface ProfileValueRow {
  /** Of users: their ids as a JSON list. */
  readonly value: string;
  /** HTML, of text that may hold Markdown; else null. */
  readonly renderedValue: string | null;
}

/** User first: a profile is one range. */
export const profileValues = table<[userId: number, fieldId: number], ProfileValueRow>(
  'profile_values',
  ['value', 'renderedValue'],
  { feedsViews: true },
);
