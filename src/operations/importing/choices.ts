import { z } from 'zod';
import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import {
  ALERT_WORD_LENGTH_MAX,
  PROFILE_FIELD_HINT_LENGTH_MAX,
  PROFILE_FIELD_NAME_LENGTH_MAX,
  STATUS_TEXT_LENGTH_MAX,
} from '../../domain/limits/accounts.ts';
import { REALM_DESCRIPTION_LENGTH_MAX } from '../../domain/limits/organizations.ts';
import { SAVED_SNIPPET_TITLE_LENGTH_MAX } from '../../domain/limits/personal.ts';
import { cutTo } from '../../domain/rules/messages/topic.ts';
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
import { idOf, quiet } from './imported-ids.ts';
import { type Importing, importer, KEEPS_ITS_OWN } from './people.ts';

const text = z.string();
const user = { user: text };

/** A choice of an archive; `user`, `muted` and `channel` are ids of the source. */
export const importedChoice = z.discriminatedUnion('what', [
  z.object({ what: z.literal('linkifier'), pattern: text, urlTemplate: text }),
  z.object({ what: z.literal('playground'), name: text, language: text, urlTemplate: text }),
  z.object({
    what: z.literal('profile field'),
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
    /** The name of the field. */
    field: text,
    type: z.int(),
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
 * those of people for accounts that it has made: all others keep their own.
 */
export function enterChoice(tx: RealmTransaction, of: Importing, choice: Choice): string {
  if (!('user' in choice)) {
    if (!of.keepsRoles) throw badRequest(KEEPS_ITS_OWN);
    return ofOrganization(quiet(tx), choice) ? PLURALS[choice.what] : 'known';
  }
  const userId = idOf(tx, of.source, 'user', choice.user);
  const row = userId === undefined ? undefined : tx.users.get([userId]);
  if (row === undefined) throw badRequest('Its person is not in the archive.');
  if (!tx.placeholders.has([row.id])) {
    throw badRequest('The person has an account here, and keeps their own.');
  }
  return ofPerson(quiet(tx), of, { row, choice }) ? PLURALS[choice.what] : 'known';
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

/** Returns false for what is there already. */
function ofOrganization(tx: RealmTransaction, choice: OfOrganization): boolean {
  switch (choice.what) {
    case 'linkifier': {
      const { pattern, urlTemplate } = choice;
      if (linkifiers.list(tx).some((known) => known.pattern === pattern)) return false;
      linkifiers.add(tx, { pattern, urlTemplate });
      return true;
    }
    case 'playground': {
      const { name, language, urlTemplate } = choice;
      const isSame = (known: { name: string; pygments_language: string }) =>
        known.name === name.trim() && known.pygments_language === language.trim();
      if (playgrounds.list(tx).some(isSame)) return false;
      playgrounds.add(tx, { name, pygments_language: language, url_template: urlTemplate });
      return true;
    }
    case 'profile field':
      return addField(tx, choice);
    case 'organization':
      return changeOrganization(tx, choice);
  }
}

function addField(tx: RealmTransaction, choice: Of<'profile field'>): boolean {
  const { type, data, isRequired, isEditable, isInSummary } = choice;
  const name = cutTo(choice.name.trim(), PROFILE_FIELD_NAME_LENGTH_MAX);
  if (fieldNamed(tx, { name, type }) !== undefined) return false;
  profileFields.add(tx, {
    field_type: type,
    name,
    hint: cutTo(choice.hint.trim(), PROFILE_FIELD_HINT_LENGTH_MAX),
    field_data: data === '' ? {} : parsed(data),
    required: isRequired,
    editable_by_user: isEditable,
    display_in_profile_summary: isInSummary,
  });
  return true;
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    throw badRequest('The data of the field are not JSON.');
  }
}

/** Names are the same if they are so after they were cut. */
function fieldNamed(tx: RealmTransaction, { name, type }: { name: string; type: number }) {
  const wanted = cutTo(name.trim(), PROFILE_FIELD_NAME_LENGTH_MAX);
  return profileFields.list(tx).find((field) => field.type === type && field.name === wanted);
}

/** A description that somebody has written here stays. */
function changeOrganization(
  tx: RealmTransaction,
  { description, retentionDays }: Of<'organization'>,
): boolean {
  let isChanged = false;
  if (description !== undefined && realms.existing(tx).description === '') {
    isChanged = settings.set(tx, 'description', cutTo(description, REALM_DESCRIPTION_LENGTH_MAX));
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
      if (mutedId === undefined) throw badRequest('The muted person is not in the archive.');
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
  if (channelId === undefined) throw badRequest('Its channel is not in the archive.');
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
  const { field: name, type, value } = choice;
  const field = fieldNamed(tx, { name, type });
  if (field === undefined) throw badRequest('There is no such field here.');
  if (tx.profileValues.has([row.id, field.id])) return false;
  const given =
    typeof value === 'string'
      ? value
      : value.flatMap((id) => idOf(tx, of.source, 'user', id) ?? []);
  profileValues.set(
    tx,
    { user: importer(tx), site: of.site },
    { user: row, entries: [{ id: field.id, value: given }], allowsInactive: true },
  );
  return tx.profileValues.has([row.id, field.id]);
}
