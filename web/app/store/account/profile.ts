/** The parts of one's own account that others see: picture, time zone, address, profile fields. */
import type { Contents } from '@confab/client/store';
import { app } from '../app.ts';
import { isAdministrator } from './rights.ts';

type FieldOf = NonNullable<Contents['facts']['custom_profile_fields']>[number];

/** The types of profile fields, by the numbers of the API. */
export const FIELD = {
  shortText: 1,
  longText: 2,
  options: 3,
  date: 4,
  link: 5,
  people: 6,
  account: 7,
  pronouns: 8,
} as const;

export interface OwnField {
  readonly id: number;
  readonly name: string;
  readonly hint: string;
  readonly type: number;
  readonly isRequired: boolean;
  /** False where only administrators change it. */
  readonly isEditable: boolean;
  readonly value: string;
  /** The options of a list, in order. */
  readonly options: readonly (readonly [value: string, words: string])[];
  /** The address of an account elsewhere, with `%(username)s` in it. */
  readonly urlPattern: string;
}

/** Returns the profile fields of the organization with one's own values, in order. */
export function ownFields(state: Contents): readonly OwnField[] {
  const { custom_profile_fields: fields = [], realm_default_external_accounts: known } =
    state.facts;
  const values = state.users.get(state.ownId)?.profile_data ?? {};
  const isAllowed = isAdministrator(state);
  return [...fields]
    .sort((one, other) => one.order - other.order)
    .map((field) => ({
      id: field.id,
      name: field.name,
      hint: field.hint,
      type: field.type,
      isRequired: field.required,
      isEditable: field.editable_by_user || isAllowed,
      value: values[field.id]?.value ?? '',
      options: optionsIn(field),
      urlPattern: urlPatternIn(field, known),
    }));
}

/** Returns what is in the data of a field; nothing if it is damaged. */
export function fieldData({
  field_data: data,
}: Pick<FieldOf, 'field_data'>): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(data === '' ? '{}' : data);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

interface Option {
  readonly text: string;
  readonly order: string;
}

export function optionsIn(field: Pick<FieldOf, 'type' | 'field_data'>): OwnField['options'] {
  if (field.type !== FIELD.options) return [];
  return Object.entries(fieldData(field) as Record<string, Option>)
    .sort(([, one], [, other]) => Number(one.order) - Number(other.order))
    .map(([value, { text }]) => [value, text] as const);
}

function urlPatternIn(field: FieldOf, known: Contents['facts']['realm_default_external_accounts']) {
  if (field.type !== FIELD.account) return '';
  const { subtype, url_pattern: own } = fieldData(field);
  return typeof own === 'string' ? own : (known?.[String(subtype)]?.url_pattern ?? '');
}

/** Returns the address that a name in a field leads to; null where there is none. */
export const accountUrl = ({ urlPattern, value }: OwnField): string | null =>
  urlPattern === '' || value === ''
    ? null
    : urlPattern.replace('%(username)s', encodeURIComponent(value));

/** Returns the people that a field names. */
export function peopleIn({ value }: Pick<OwnField, 'value'>): readonly number[] {
  try {
    const ids: unknown = JSON.parse(value === '' ? '[]' : value);
    return Array.isArray(ids) ? ids.filter((id) => typeof id === 'number') : [];
  } catch {
    return [];
  }
}

/** Sets a value, or takes it away where it is empty. */
export const setField = (id: number, value: string | readonly number[]) =>
  value.length === 0
    ? app.chat.call('DELETE', '/users/me/profile_data', { data: [id] })
    : app.chat.call('PATCH', '/users/me/profile_data', {
        data: [{ id, value: typeof value === 'string' ? value : [...value] }],
      });

/** The types of the calls know of no forms with files. */
const AVATAR = '/users/me/avatar';

export function setPicture(picture: Blob, name: string) {
  const form = new FormData();
  form.append('file', picture, name);
  return app.chat.call('POST', AVATAR as string, form);
}

export const removePicture = () => app.chat.call('DELETE', '/users/me/avatar');

export interface PictureRights {
  readonly mayChange: boolean;
  readonly isUploaded: boolean;
  readonly mibMax: number;
}

export function pictureRights(state: Contents): PictureRights {
  const { facts } = state;
  const isFixed = facts.realm_avatar_changes_disabled === true;
  return {
    mayChange:
      facts.server_avatar_changes_disabled !== true && (!isFixed || isAdministrator(state)),
    isUploaded: facts.avatar_source === 'U',
    mibMax: facts.max_avatar_file_size_mib ?? 5,
  };
}

/** Returns why a file is no picture for the page; null if it may be one. */
export function pictureFault(file: Pick<Blob, 'size' | 'type'>, mibMax: number): string | null {
  if (!file.type.startsWith('image/')) return 'This is no picture.';
  if (file.size > mibMax * 1024 * 1024) return `A picture has at most ${mibMax} MiB.`;
  return null;
}

/** The time zones that a browser knows, with one that is set and that it does not know. */
export function timeZones(own: string): readonly (readonly [zone: string, words: string])[] {
  const zones = Intl.supportedValuesOf('timeZone');
  const all = own === '' || zones.includes(own) ? zones : [own, ...zones];
  const named = all.map((zone) => [zone, zone.replaceAll('_', ' ')] as const);
  return own === '' ? [['', 'Not said'], ...named] : named;
}

export const ownZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Asks for another address: it changes when the link that is mailed there is opened. */
export const askForAddress = (email: string) =>
  app.chat.call('PATCH', '/settings', { email: email.trim() });

/** Changes one's own address at once, which administrators may. */
export const setAddress = (email: string) =>
  app.chat.call('PATCH', '/users/{user_id_or_email}', {
    user_id_or_email: String(app.read('own').ownId),
    new_email: email.trim(),
  });

/** Ends the account: its sessions, keys and bots. What it wrote stays. */
export const deactivateOwn = () => app.chat.call('DELETE', '/users/me');
