/** The fields that profiles have in an organization. */
import type { Contents } from '@confab/client/store';
import { FIELD, fieldData, optionsIn } from '../account/profile.ts';
import { app } from '../app.ts';
import { moved } from './ordering.ts';

export type ProfileField = NonNullable<Contents['facts']['custom_profile_fields']>[number];

export const FIELD_TYPES: readonly (readonly [value: string, words: string])[] = [
  [String(FIELD.shortText), 'Short text'],
  [String(FIELD.longText), 'Long text'],
  [String(FIELD.options), 'List to choose from'],
  [String(FIELD.date), 'Date'],
  [String(FIELD.link), 'Link'],
  [String(FIELD.people), 'People'],
  [String(FIELD.account), 'Account elsewhere'],
  [String(FIELD.pronouns), 'Pronouns'],
];

export const typeName = (type: number): string =>
  FIELD_TYPES.find(([value]) => value === String(type))?.[1] ?? 'Field';

export const profileFields = (): readonly ProfileField[] =>
  [...(app.read('profileFields').facts.custom_profile_fields ?? [])].sort(
    (one, other) => one.order - other.order,
  );

/** A field as a form has it. */
export interface FieldForm {
  readonly type: string;
  readonly name: string;
  readonly hint: string;
  /** The options of a list, one a line. */
  readonly options: string;
  /** A service that the server knows, or `custom`. */
  readonly account: string;
  readonly urlPattern: string;
  readonly isRequired: boolean;
  readonly isEditable: boolean;
  readonly isInSummary: boolean;
}

export const NEW_FIELD: FieldForm = {
  type: String(FIELD.shortText),
  name: '',
  hint: '',
  options: '',
  account: 'custom',
  urlPattern: '',
  isRequired: false,
  isEditable: true,
  isInSummary: false,
};

export function formOf(field: ProfileField): FieldForm {
  const { subtype, url_pattern: pattern } = fieldData(field);
  return {
    type: String(field.type),
    name: field.name,
    hint: field.hint,
    options: optionsIn(field)
      .map(([, words]) => words)
      .join('\n'),
    account: typeof subtype === 'string' ? subtype : 'custom',
    urlPattern: typeof pattern === 'string' ? pattern : '',
    isRequired: field.required,
    isEditable: field.editable_by_user,
    isInSummary: field.display_in_profile_summary === true,
  };
}

/** Services whose addresses the server knows, and others by the address of an account. */
export const accountOptions = ({
  facts,
}: Contents): readonly (readonly [value: string, words: string])[] => [
  ...Object.entries(facts.realm_default_external_accounts ?? {}).map(
    ([key, { text }]) => [key, text] as const,
  ),
  ['custom', 'Another service'],
];

/**
 * Returns the options of a list. One that was there before keeps its value, so that what people
 * have chosen stays.
 */
export function optionsOf(
  text: string,
  before: ProfileField | null,
): Readonly<Record<string, { readonly text: string; readonly order: string }>> {
  const known = new Map(
    before === null ? [] : optionsIn(before).map(([value, words]) => [words, value]),
  );
  const taken = new Set(known.values());
  const lines = [...new Set(text.split('\n').map((line) => line.trim()))].filter(Boolean);
  let next = 0;
  const options: Record<string, { text: string; order: string }> = {};
  for (const [at, words] of lines.entries()) {
    while (taken.has(String(next))) next += 1;
    const value = known.get(words) ?? String(next);
    taken.add(value);
    options[value] = { text: words, order: String(at + 1) };
  }
  return options;
}

function dataOf(form: FieldForm, before: ProfileField | null) {
  if (form.type === String(FIELD.options)) return { field_data: optionsOf(form.options, before) };
  if (form.type !== String(FIELD.account)) return {};
  return {
    field_data:
      form.account === 'custom'
        ? { subtype: 'custom', url_pattern: form.urlPattern.trim() }
        : { subtype: form.account },
  };
}

/** Makes a field, or changes one; its type stays as it was. */
export function saveField(form: FieldForm, before: ProfileField | null) {
  const isKnown = form.type === String(FIELD.account) && form.account !== 'custom';
  const common = {
    // The server names accounts of services that it knows.
    ...(isKnown ? {} : { name: form.name.trim(), hint: form.hint.trim() }),
    ...dataOf(form, before),
    required: form.isRequired,
    editable_by_user: form.isEditable,
    display_in_profile_summary: form.isInSummary,
  };
  return before === null
    ? app.chat.call('POST', '/realm/profile_fields', { ...common, field_type: Number(form.type) })
    : app.chat.call('PATCH', '/realm/profile_fields/{field_id}', {
        ...common,
        field_id: before.id,
      });
}

export const removeField = (id: number) =>
  app.chat.call('DELETE', '/realm/profile_fields/{field_id}', { field_id: id });

export async function moveField(id: number, by: -1 | 1): Promise<void> {
  const order = moved(
    profileFields().map((field) => field.id),
    id,
    by,
  );
  if (order !== null) await app.chat.call('PATCH', '/realm/profile_fields', { order });
}
