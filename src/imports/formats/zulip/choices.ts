import {
  type HistoryChoice,
  type HistoryRow,
  type OrganizationChoice,
  type PersonalChoice,
  type Place,
  type SubscriptionLook,
  skipped,
} from '../../history.ts';
import { type Fields, firstText, idOf, textOf } from '../shared/fields.ts';
import type { ExportFiles } from './files.ts';
import { emojiOf } from './reactions.ts';

type Choice = OrganizationChoice | PersonalChoice;
type Taken = Choice | { readonly why: string } | null;

/** Tables of what people and the organization have set up. */
const CHOICES: Readonly<Record<string, (row: Fields, user: string) => Taken>> = {
  zerver_usertopic: topicPolicyOf,
  // Older versions know only muted topics.
  zerver_mutedtopic: topicPolicyOf,
  zerver_muteduser: (row, user) => ({ what: 'muted user', user, muted: idOf(row['muted_user']) }),
  zerver_alertword: (row, user) => ({ what: 'alert word', user, word: textOf(row['word']) }),
  zerver_userstatus: statusOf,
  zerver_savedsnippet: (row, user) => ({
    what: 'saved snippet',
    user,
    title: textOf(row['title']),
    content: textOf(row['content']).replace(/\|\d{1,15}\*\*/g, '**'),
  }),
  zerver_customprofilefieldvalue: (row, user) => ({
    what: 'profile value',
    user,
    field: idOf(row['field']),
    value: textOf(row['value']),
  }),
  zerver_customprofilefield: profileFieldOf,
  zerver_realmfilter: (row) => ({
    what: 'linkifier',
    pattern: textOf(row['pattern']),
    // Before 2022 variables were written as Python does: `%(id)s`.
    urlTemplate:
      firstText(row['url_template']) ||
      textOf(row['url_format_string']).replace(/%\((\w{1,100})\)s/g, '{$1}'),
  }),
  zerver_realmplayground: (row) => ({
    what: 'playground',
    name: textOf(row['name']),
    language: textOf(row['pygments_language']),
    urlTemplate: firstText(row['url_template']) || `${textOf(row['url_prefix'])}{code}`,
  }),
};

export const CHOICE_TABLES = Object.keys(CHOICES);

/** A row without an id, as in a table of a very old version, is told by its content. */
const identified = (of: Choice, id: string): HistoryChoice => ({
  kind: 'choice',
  id: id === '' ? JSON.stringify(of) : id,
  ...of,
});

/** Choices whose order an administrator has given, and how many of them are read. */
const ORDERED: ReadonlySet<string> = new Set(['linkifier', 'profile field', 'playground']);
const ORDERED_MAX = 2_000;
const LEFT_OUT: Readonly<Record<string, string>> = {
  zerver_usertopic: 'topic policy',
  zerver_userstatus: 'status',
  zerver_customprofilefield: 'profile field',
};

/** Reads choices; those with an order come at the end. */
export class OrderedChoices {
  private readonly ordered: { readonly choice: HistoryChoice; readonly order: number }[] = [];

  *rowsOf({ table, row }: { table: string; row: Fields }, place: Place): Generator<HistoryRow> {
    const taken = CHOICES[table]?.(row, idOf(row['user_profile'])) ?? null;
    if (taken === null) return;
    if ('why' in taken) return yield skipped(LEFT_OUT[table] ?? 'row', place, taken.why);
    const choice = identified(taken, idOf(row['id']));
    if (!ORDERED.has(choice.what)) yield choice;
    else if (this.ordered.length < ORDERED_MAX) {
      this.ordered.push({ choice, order: Number(row['order']) || 0 });
    } else yield skipped(choice.what, place, `More than ${ORDERED_MAX} of them are not taken.`);
  }

  *rows(): Generator<HistoryChoice> {
    this.ordered.sort((one, other) => one.order - other.order);
    for (const { choice } of this.ordered) yield choice;
  }
}

function topicPolicyOf(row: Fields, user: string): Taken {
  const policy = Number(row['visibility_policy'] ?? 1);
  if (policy === 0) return null;
  if (policy !== 1 && policy !== 2 && policy !== 3) return { why: 'Its policy is not known.' };
  const channel = idOf(row['stream']);
  return { what: 'topic policy', user, channel, topic: textOf(row['topic_name']), policy };
}

function profileFieldOf(row: Fields): Taken {
  const type = row['field_type'];
  if (typeof type !== 'number' || !Number.isSafeInteger(type)) return { why: 'It has no type.' };
  return {
    what: 'profile field',
    type,
    name: textOf(row['name']),
    hint: textOf(row['hint']),
    data: textOf(row['field_data']),
    isRequired: row['required'] === true,
    isEditable: row['editable_by_user'] !== false,
    isInSummary: row['display_in_profile_summary'] === true,
  };
}

function statusOf(row: Fields, user: string): Taken {
  if ((row['scheduled_end_time'] ?? null) !== null) return { why: 'It was to end at a time.' };
  const emoji = textOf(row['emoji_name']) === '' ? '' : emojiOf(row);
  const text = textOf(row['status_text']);
  // Away was a status until 2022.
  return text === '' && emoji === '' ? null : { what: 'status', user, text, emoji };
}

const IMAGES = ['icon', 'logo', 'night_logo'] as const;

/** Yields the images of a realm and what it says of itself. */
export function* choicesOfRealm(row: Fields, files: ExportFiles): Generator<HistoryChoice> {
  const organization = organizationOf(row);
  if (organization !== null) yield identified(organization, 'organization');
  for (const image of IMAGES) {
    const file = row[`${image}_source`] === 'U' ? files.realmImage(image) : undefined;
    if (file !== undefined) yield identified({ what: 'image', image, file }, image);
  }
}

/** Keeping messages for ever, -1 days, is the default. */
function organizationOf(row: Fields): Choice | null {
  const description = textOf(row['description']).trim();
  const days = daysOf(row);
  const name = textOf(row['name']).trim();
  if (name === '' && description === '' && (days === undefined || days === -1)) return null;
  return {
    what: 'organization',
    ...(name !== '' && { name }),
    ...(description !== '' && { description }),
    ...(days !== undefined && days !== -1 && { retentionDays: days }),
  };
}

/** A hundred years. */
const DAYS_MAX = 36_500;

/** Returns the days after which messages are removed, -1 for never; undefined for the default. */
export function daysOf(row: Fields): number | undefined {
  const days = Number(row['message_retention_days'] ?? Number.NaN);
  const isKnown = Number.isInteger(days) && (days === -1 || (days > 0 && days <= DAYS_MAX));
  return isKnown ? days : undefined;
}

const DEFAULT_COLOR = '#c2c2c2';
const OWN = {
  desktop_notifications: 'desktopNotifications',
  audible_notifications: 'audibleNotifications',
  push_notifications: 'pushNotifications',
  email_notifications: 'emailNotifications',
  wildcard_mentions_notify: 'wildcardMentionsNotify',
} as const;

/** Different looks that share one object; people have a dozen colours. */
const SHARED_MAX = 10_000;

/** Returns how somebody has set up a channel; looks that are alike are one object. */
export class Looks {
  private readonly shared = new Map<string, SubscriptionLook>();

  of(row: Fields): SubscriptionLook | undefined {
    const color = textOf(row['color']).toLowerCase();
    const own: { -readonly [Name in keyof SubscriptionLook]: SubscriptionLook[Name] } = {};
    if (/^#[0-9a-f]{6}$/.test(color) && color !== DEFAULT_COLOR) own.color = color;
    // Older versions say whether it is in the home view.
    if (row['is_muted'] === true || row['in_home_view'] === false) own.isMuted = true;
    if (row['pin_to_top'] === true) own.isPinned = true;
    for (const [name, property] of Object.entries(OWN)) {
      const value = row[name];
      if (typeof value === 'boolean') own[property] = value;
    }
    const key = JSON.stringify(own);
    if (key === '{}') return undefined;
    const look = this.shared.get(key) ?? own;
    if (this.shared.size < SHARED_MAX) this.shared.set(key, look);
    return look;
  }
}
