import { table } from '../../table.ts';

/** A field that the organization wants to have in the profiles of its people. */
export interface ProfileFieldRow {
  readonly id: number;
  /**
   * 1 short text, 2 long text, 3 options, 4 date, 5 link, 6 users, 7 external account, 8 pronouns.
   */
  readonly type: number;
  readonly name: string;
  readonly hint: string;
  /** JSON for options and external accounts; otherwise empty. */
  readonly fieldData: string;
  /** Fields are shown in this order. */
  readonly order: number;
  readonly isRequired: boolean;
  readonly isEditable: boolean;
  readonly isInSummary: boolean;
}

export const profileFields = table<[fieldId: number], ProfileFieldRow>(
  'profile_fields',
  ['id', 'type', 'name', 'hint', 'fieldData', 'order', 'isRequired', 'isEditable', 'isInSummary'],
  {
    audited: [
      {
        kind: 'profile_field',
        target: ([fieldId]) => fieldId,
        values: (row) => ({
          type: row.type,
          name: row.name,
          hint: row.hint,
          field_data: row.fieldData,
          order: row.order,
          required: row.isRequired,
          editable_by_user: row.isEditable,
          display_in_profile_summary: row.isInSummary,
        }),
      },
    ],
  },
);

export interface ProfileValueRow {
  /** For a field of users this is a JSON list of their ids. */
  readonly value: string;
  /** HTML of a text that may hold Markdown; otherwise null. */
  readonly renderedValue: string | null;
}

/** User first: a profile is one range. */
export const profileValues = table<[userId: number, fieldId: number], ProfileValueRow>(
  'profile_values',
  ['value', 'renderedValue'],
  { feedsViews: true },
);
