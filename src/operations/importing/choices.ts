import { z } from 'zod';
import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { ImportedKind } from '../../../storage/tables/realm/imports.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import {
  ALERT_WORD_LENGTH_MAX,
  PROFILE_FIELD_HINT_LENGTH_MAX,
  PROFILE_FIELD_NAME_LENGTH_MAX,
  PROFILE_SUMMARY_FIELDS_MAX,
  STATUS_TEXT_LENGTH_MAX,
} from '../../domain/limits/accounts.ts';
import {
  REALM_DESCRIPTION_LENGTH_MAX,
  REALM_NAME_LENGTH_MAX,
} from '../../domain/limits/organizations.ts';
import { SAVED_SNIPPET_TITLE_LENGTH_MAX } from '../../domain/limits/personal.ts';
import { cutTo } from '../../domain/rules/messages/topic.ts';
import { isShortEnough } from '../../domain/rules/people/profile-fields.ts';
import { badRequest } from '../../domain/wire/errors.ts';
import { realmSetting } from '../access/groups.ts';
import * as realms from '../access/realms.ts';
import * as alertWords from '../indexes/alert-words.ts';
import * as userTopics from '../indexes/user-topics.ts';
import * as mutedUsers from '../personal/muted-users.ts';
import * as savedSnippets from '../personal/saved-snippets.ts';
import * as playgrounds from '../realm/playgrounds.ts';
import * as settings from '../realm/settings.ts';
import * as emoji from '../rendering/emoji.ts';
import * as linkifiers from '../rendering/linkifiers.ts';
import * as profileFields from '../users/profile-fields.ts';
import * as profileValues from '../users/profile-values.ts';
import * as statuses from '../users/statuses.ts';
import { idOf, quiet, remember } from './imported-ids.ts';
import { type Importing, importer, KEEPS_ITS_OWN } from './people.ts';

const text = z.string();
const identified = { id: text };
const user = { ...identified, user: text };

/** A choice of an archive; `id`, `user`, `muted`, `channel` and `field` are ids of the source. */
export const importedChoice = z.discriminatedUnion('what', [
  z.object({ what: z.literal('linkifier'), ...identified, pattern: text, urlTemplate: text }),
  z.object({
    what: z.literal('playground'),
    ...identified,
    name: text,
    language: text,
    urlTemplate: text,
  }),
  z.object({
    what: z.literal('profile field'),
    ...identified,
    type: z.int(),
    name: text,
    hint: text,
    data: text,
    isRequired: z.boolean(),
    isEditable: z.boolean(),
    isInSummary: z.boolean(),
  }),
  z.object({
    what: z.literal('organization'),
    ...identified,
    name: text.optional(),
    description: text.optional(),
    retentionDays: z.int().min(-1).optional(),
  }),
  z.object({
    what: z.literal('topic policy'),
    ...user,
    channel: text,
    topic: text,
    policy: z.literal([1, 2, 3]),
  }),
  z.object({ what: z.literal('muted user'), ...user, muted: text }),
  z.object({ what: z.literal('alert word'), ...user, word: text }),
  z.object({ what: z.literal('status'), ...user, text, emoji: text }),
  z.object({ what: z.literal('saved snippet'), ...user, title: text, content: text }),
  z.object({
    what: z.literal('profile value'),
    ...user,
    field: text,
    value: z.union([text, z.array(text)]),
  }),
]);

type Choice = z.output<typeof importedChoice>;
type Of<What extends Choice['what']> = Extract<Choice, { what: What }>;
type Personal = Extract<Choice, { user: string }>;
type OfOrganization = Exclude<Choice, { user: string }>;

/**
 * Enters what an organization or a person had set up, and returns what was added, in the words of
 * the report, or `known`. The settings of an organization are for a realm that the import has made,
 * those of people for accounts that it has made: all others keep their own. Each is entered once:
 * what somebody has changed or removed here since stays so.
 */
export function enterChoice(tx: RealmTransaction, of: Importing, choice: Choice): string {
  const [kind, from] = rememberedAs(choice);
  if (idOf(tx, of.source, kind, from) !== undefined) return 'known';
  const { id, isAdded } = entered(tx, of, choice);
  remember(tx, of.source, kind, { from, to: id });
  return isAdded ? PLURALS[choice.what] : 'known';
}

function rememberedAs({ what, id }: Choice): [ImportedKind, string] {
  switch (what) {
    case 'linkifier':
    case 'playground':
    case 'profile field':
      return [what, id];
    default:
      return ['choice', `${what} ${id}`];
  }
}

const NO_PERSON = 'Its person is not in the archive.';
const NO_MUTED = 'The muted person is not in the archive.';
const NO_CHANNEL = 'Its channel is not in the archive.';

/** The id here of what was entered, and whether it was not there before. */
interface Made {
  readonly id: number;
  readonly isAdded: boolean;
}

function entered(tx: RealmTransaction, of: Importing, choice: Choice): Made {
  if (!('user' in choice)) {
    if (!of.keepsRoles) throw badRequest(KEEPS_ITS_OWN);
    return ofOrganization(quiet(tx), choice);
  }
  const userId = idOf(tx, of.source, 'user', choice.user);
  const row = userId === undefined ? undefined : tx.users.get([userId]);
  if (row === undefined) throw badRequest(NO_PERSON);
  if (!tx.placeholders.has([row.id])) {
    throw badRequest('The person has an account here, and keeps their own.');
  }
  return { id: row.id, isAdded: ofPerson(quiet(tx), of, { row, choice }) };
}

const PLURALS: Readonly<Record<Choice['what'], string>> = {
  linkifier: 'linkifiers',
  playground: 'playgrounds',
  'profile field': 'profile_fields',
  organization: 'organization_settings',
  'topic policy': 'topic_policies',
  'muted user': 'muted_users',
  'alert word': 'alert_words',
  status: 'statuses',
  'saved snippet': 'saved_snippets',
  'profile value': 'profile_values',
};

const added = ({ id }: { readonly id: number }): Made => ({ id, isAdded: true });
const found = ({ id }: { readonly id: number }): Made => ({ id, isAdded: false });

function ofOrganization(tx: RealmTransaction, choice: OfOrganization): Made {
  switch (choice.what) {
    case 'linkifier': {
      const { pattern, urlTemplate } = choice;
      const known = linkifiers.list(tx).find((one) => one.pattern === pattern);
      return known === undefined
        ? added(linkifiers.add(tx, { pattern, urlTemplate }))
        : found(known);
    }
    case 'playground': {
      const { name, language, urlTemplate } = choice;
      const isSame = (known: { name: string; pygments_language: string }) =>
        known.name === name.trim() && known.pygments_language === language.trim();
      const known = playgrounds.list(tx).find(isSame);
      if (known !== undefined) return found(known);
      return added(
        playgrounds.add(tx, { name, pygments_language: language, url_template: urlTemplate }),
      );
    }
    case 'profile field':
      return addField(tx, choice);
    case 'organization':
      return { id: 0, isAdded: changeOrganization(tx, choice) };
  }
}

/** A field that cannot be in the summary of a profile here comes without it. */
function addField(tx: RealmTransaction, choice: Of<'profile field'>): Made {
  const { type, data, isRequired, isEditable } = choice;
  const name = cutTo(choice.name.trim(), PROFILE_FIELD_NAME_LENGTH_MAX);
  const all = profileFields.list(tx);
  const known = all.find((field) => field.type === type && field.name === name);
  if (known !== undefined) return found(known);
  const inSummary = all.filter((field) => field.display_in_profile_summary === true).length;
  return added(
    profileFields.add(tx, {
      field_type: type,
      name,
      hint: cutTo(choice.hint.trim(), PROFILE_FIELD_HINT_LENGTH_MAX),
      field_data: data === '' ? {} : parsed(data),
      required: isRequired,
      editable_by_user: isEditable,
      display_in_profile_summary:
        choice.isInSummary && isShortEnough(type) && inSummary < PROFILE_SUMMARY_FIELDS_MAX,
    }),
  );
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    throw badRequest('The data of the field are not JSON.');
  }
}

/** A name or description that somebody has given here stays. */
function changeOrganization(
  tx: RealmTransaction,
  { name, description, retentionDays }: Of<'organization'>,
): boolean {
  let isChanged = false;
  const realm = realms.existing(tx);
  // Without a title a realm is called as its address is.
  if (name !== undefined && name !== '' && realm.name === realm.stringId) {
    isChanged = settings.set(tx, 'name', cutTo(name, REALM_NAME_LENGTH_MAX));
  }
  if (description !== undefined && realm.description === '') {
    isChanged =
      settings.set(tx, 'description', cutTo(description, REALM_DESCRIPTION_LENGTH_MAX)) ||
      isChanged;
  }
  if (retentionDays !== undefined && realmSetting(tx, 'message_retention_days') === -1) {
    isChanged = settings.set(tx, 'message_retention_days', retentionDays) || isChanged;
  }
  return isChanged;
}

interface OfPerson {
  readonly row: UserRow;
  readonly choice: Personal;
}

function ofPerson(tx: RealmTransaction, of: Importing, { row, choice }: OfPerson): boolean {
  switch (choice.what) {
    case 'topic policy':
      return setPolicy(tx, of, { row, choice });
    case 'muted user': {
      const mutedId = idOf(tx, of.source, 'user', choice.muted);
      if (mutedId === undefined) throw badRequest(NO_MUTED);
      return mutedUsers.muteUnannounced(tx, row.id, mutedId);
    }
    case 'alert word': {
      if (choice.word.length > ALERT_WORD_LENGTH_MAX) throw badRequest('The word is too long.');
      const before = alertWords.list(tx, row.id).length;
      return alertWords.add(tx, row.id, [choice.word]).length > before;
    }
    case 'status':
      return setStatus(tx, of, { row, choice });
    case 'saved snippet': {
      const title = cutTo(choice.title, SAVED_SNIPPET_TITLE_LENGTH_MAX);
      const { content } = choice;
      const known = savedSnippets.list(tx, row.id);
      if (known.some((one) => one.title === title && one.content === content)) return false;
      savedSnippets.add(tx, row.id, { title, content });
      return true;
    }
    case 'profile value':
      return setValue(tx, of, { row, choice });
  }
}

function setPolicy(
  tx: RealmTransaction,
  of: Importing,
  { row, choice }: { row: UserRow; choice: Of<'topic policy'> },
): boolean {
  const { topic, policy } = choice;
  const channelId = idOf(tx, of.source, 'channel', choice.channel);
  if (channelId === undefined) throw badRequest(NO_CHANNEL);
  if (userTopics.policyOf(tx, row.id, { channelId, topic }) !== userTopics.Policy.none) {
    return false;
  }
  userTopics.set(tx, row, { channelId, topic, policy });
  return true;
}

/** An emoji that is not here is left out of a status with a text. */
function setStatus(
  tx: RealmTransaction,
  of: Importing,
  { row, choice }: { row: UserRow; choice: Of<'status'> },
): boolean {
  if (tx.userStatuses.has([row.id])) return false;
  const name = choice.emoji;
  const found = name === '' ? undefined : emoji.byName(tx, { name }, of.site.settings);
  const status_text = cutTo(choice.text, STATUS_TEXT_LENGTH_MAX);
  if (status_text === '' && found === undefined) {
    throw badRequest('It has no text, and there is no emoji of its name.');
  }
  const change = { status_text, ...(found && { emoji_name: found.name }) };
  statuses.set(tx, row, { change, settings: of.site.settings });
  return true;
}

function setValue(
  tx: RealmTransaction,
  of: Importing,
  { row, choice }: { row: UserRow; choice: Of<'profile value'> },
): boolean {
  const { value } = choice;
  const id = idOf(tx, of.source, 'profile field', choice.field);
  if (id === undefined) throw badRequest('Its field did not come along.');
  // Somebody may have removed the field here since.
  if (!tx.profileFields.has([id]) || tx.profileValues.has([row.id, id])) return false;
  const given =
    typeof value === 'string'
      ? value
      : value.flatMap((id) => idOf(tx, of.source, 'user', id) ?? []);
  profileValues.set(
    tx,
    { user: importer(tx), site: of.site },
    { user: row, entries: [{ id, value: given }], allowsInactive: true },
  );
  return tx.profileValues.has([row.id, id]);
}
