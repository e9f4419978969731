import { ArchiveError } from '../../../archives/archive-error.ts';
import {
  type HistoryChannel,
  type HistoryEmoji,
  type HistoryRole,
  type HistoryRow,
  type HistoryUser,
  type SubscriptionLook,
  skipped,
} from '../../history.ts';
import type { ArchiveSource } from '../../sources/archive-source.ts';
import { type Bound, conversationMap, peopleMap, subscriptionBound } from '../shared/bounds.ts';
import { type Fields, firstText, idOf, secondsOf, secondsOfIso, textOf } from '../shared/fields.ts';
import { CHOICE_TABLES, choicesOfRealm, daysOf, Looks, OrderedChoices } from './choices.ts';
import type { ExportFiles } from './files.ts';
import { Groups, type PermittedGroups, permittedInChannel, push } from './groups.ts';
import { isLeftOut, LEFT_OUT_TABLES, LeftOut } from './left-out.ts';
import { ReactionList } from './reactions.ts';
import { type Entries, tableRows } from './tables.ts';

/** The tables of `realm.json`, by ids of the service. */
export interface Directory {
  readonly files: ExportFiles;
  readonly users: Map<string, HistoryUser>;
  readonly channels: Map<string, HistoryChannel>;
  readonly groups: Groups;
  readonly emoji: HistoryEmoji[];
  /** By names in lower case; names of several are in none. */
  readonly userNames: Map<string, string>;
  readonly channelNames: Map<string, string>;
  readonly groupNames: Map<string, string>;
  readonly recipients: Map<string, { readonly type: number; readonly id: string }>;
  /** Users by recipient. */
  readonly subscribers: Map<string, string[]>;
  /** Returns whether an active user is subscribed to the channel of a recipient. */
  readonly isReader: (recipient: string, user: string) => boolean;
  /** How active subscribers have set up a channel, by recipient and user. */
  readonly looks: Map<string, Map<string, SubscriptionLook>>;
  readonly lookOf: Looks;
  /** The groups that may do something in a channel, by the id of the channel. */
  readonly permitted: Map<string, PermittedGroups>;
  /** Channels to which new people are subscribed. */
  readonly defaults: Set<string>;
  /** Users who have left, by recipient: they are in a direct conversation for ever. */
  readonly former: Map<string, string[]>;
  readonly subscriptions: Bound;
  readonly reactions: ReactionList;
  /** The first part of the address of the organization, if it has one. */
  subdomain: string;
  /** False if the organization shows no earlier states of messages. */
  showsEdits: boolean;
}

const [PERSONAL, CHANNEL, GROUP] = [1, 2, 3];
export const RECIPIENT = { PERSONAL, CHANNEL, GROUP } as const;

const USER_TABLES = ['zerver_userprofile', 'zerver_userprofile_mirrordummy'];
const CROSS_REALM = 'zerver_userprofile_crossrealm';
const TABLES = [
  ...USER_TABLES,
  CROSS_REALM,
  'zerver_stream',
  'zerver_recipient',
  'zerver_subscription',
  'zerver_usergroup',
  'zerver_namedusergroup',
  'zerver_usergroupmembership',
  'zerver_groupgroupmembership',
  'zerver_realm',
  'zerver_defaultstream',
  ...CHOICE_TABLES,
  ...LEFT_OUT_TABLES,
  'zerver_realmemoji',
  'zerver_reaction',
];

const KINDS: Readonly<Record<string, string>> = {
  zerver_userprofile: 'user',
  zerver_userprofile_mirrordummy: 'user',
  zerver_userprofile_crossrealm: 'user',
  zerver_stream: 'channel',
  zerver_namedusergroup: 'user group',
  zerver_usergroup: 'user group',
  zerver_realmemoji: 'emoji',
  zerver_reaction: 'reaction',
};

/** Reads `realm.json`, and yields what is odd in it. */
export async function* readDirectory(
  archive: ArchiveSource,
  { realm }: Entries,
  files: ExportFiles,
): AsyncGenerator<HistoryRow, Directory> {
  const users = peopleMap<HistoryUser>();
  const subscribers = new Map<string, string[]>();
  const directory: Directory = {
    files,
    users,
    channels: conversationMap(),
    groups: new Groups(),
    emoji: [],
    userNames: new Map(),
    channelNames: new Map(),
    groupNames: new Map(),
    recipients: conversationMap(),
    subscribers,
    isReader: openReaders(users, subscribers),
    looks: new Map(),
    lookOf: new Looks(),
    permitted: new Map(),
    defaults: new Set(),
    former: new Map(),
    subscriptions: subscriptionBound(),
    reactions: new ReactionList(),
    subdomain: '',
    showsEdits: true,
  };
  const leftOut = new LeftOut();
  const ordered = new OrderedChoices();
  let row = 0;
  for await (const found of tableRows(archive, realm, TABLES)) {
    row += 1;
    if ('skipped' in found) {
      yield found.skipped;
      continue;
    }
    if (isLeftOut(found.table)) {
      leftOut.add(found.table);
      continue;
    }
    const place = { file: realm, row: idOf(found.row['id']) || String(row) };
    if (CHOICE_TABLES.includes(found.table)) {
      yield* ordered.rowsOf(found, place);
      continue;
    }
    if (found.table === 'zerver_realm') yield* choicesOfRealm(found.row, files);
    const why = taken(directory, found);
    if (why === null) continue;
    const name = textOf(found.row['name']);
    yield skipped(KINDS[found.table] ?? 'row', place, why, name === '' ? {} : { name });
  }
  if (directory.users.size === 0)
    throw new ArchiveError(`${realm} is no export of Zulip: it has no user.`);
  index(directory.userNames, directory.users);
  index(directory.channelNames, directory.channels);
  index(directory.groupNames, directory.groups.named);
  yield* leftOut.rows(realm);
  yield* ordered.rows();
  return directory;
}

/** Subscribers are looked up once for each message that they have. */
function openReaders(
  users: ReadonlyMap<string, HistoryUser>,
  subscribers: ReadonlyMap<string, readonly string[]>,
) {
  const readers = new Map<string, ReadonlySet<string>>();
  return (recipient: string, user: string): boolean => {
    const known = readers.get(recipient) ?? new Set(subscribers.get(recipient));
    readers.set(recipient, known);
    return known.has(user) && users.get(user)?.active === true;
  };
}

function index(names: Map<string, string>, rows: ReadonlyMap<string, { readonly name: string }>) {
  const several = new Set<string>();
  for (const [id, { name }] of rows) {
    const key = name.toLowerCase();
    if (names.has(key)) several.add(key);
    names.set(key, id);
  }
  for (const key of several) names.delete(key);
}

/** Takes one row; returns why it is left out, or null. */
function taken(directory: Directory, { table, row }: { table: string; row: Fields }) {
  const id = idOf(row['id']);
  if (USER_TABLES.includes(table) || table === CROSS_REALM) {
    if (id === '') return 'It has no id.';
    directory.users.set(id, userOf(id, row, directory.files));
    // The service's own bots have no row in the table of recipients.
    const recipient = table === CROSS_REALM ? idOf(row['recipient_id']) : '';
    if (recipient !== '') directory.recipients.set(recipient, { type: PERSONAL, id });
  } else if (table === 'zerver_stream') {
    if (id === '' || textOf(row['name']) === '') return 'It has no id or no name.';
    directory.channels.set(id, channelOf(id, row));
    directory.permitted.set(id, permittedInChannel(row));
  } else if (table === 'zerver_recipient') {
    directory.recipients.set(id, { type: Number(row['type']), id: idOf(row['type_id']) });
  } else if (table === 'zerver_subscription') {
    const [given, recipient] = [idOf(row['user_profile']), idOf(row['recipient'])];
    // One text for all that name the person.
    const user = directory.users.get(given)?.id ?? given;
    directory.subscriptions.add();
    const isFormer = row['active'] === false;
    push(isFormer ? directory.former : directory.subscribers, recipient, user);
    const look = isFormer ? undefined : directory.lookOf.of(row);
    if (look !== undefined) {
      const looks = directory.looks.get(recipient) ?? new Map<string, SubscriptionLook>();
      directory.looks.set(recipient, looks.set(user, look));
    }
  } else if (table === 'zerver_defaultstream') {
    directory.subscriptions.add();
    directory.defaults.add(idOf(row['stream']));
  } else if (table === 'zerver_usergroup' || table === 'zerver_namedusergroup') {
    return directory.groups.take(row);
  } else if (table === 'zerver_usergroupmembership') {
    directory.groups.takeMember(row);
  } else if (table === 'zerver_groupgroupmembership') {
    directory.groups.takeSubgroup(row);
  } else if (table === 'zerver_realm') {
    directory.subdomain = textOf(row['string_id']).toLowerCase();
    directory.showsEdits = showsEdits(row);
  } else if (table === 'zerver_realmemoji') return takeEmoji(directory, row);
  else return directory.reactions.add(row);
  return null;
}

/** Newer versions have a number: 1 for all changes, 2 for moves only, 3 for none. */
const showsEdits = (row: Fields): boolean =>
  row['allow_edit_history'] !== false && (row[EDITS_SHOWN] ?? 1) === 1;

const EDITS_SHOWN = 'message_edit_history_visibility_policy';

function takeEmoji({ emoji, files }: Directory, row: Fields) {
  const name = textOf(row['name']);
  if (row['deactivated'] === true) return 'It was deactivated.';
  const file = files.emojiOf({ name, fileName: textOf(row['file_name']) });
  if (file === undefined) return 'Its image is not in the archive.';
  const author = idOf(row['author']);
  emoji.push({ kind: 'emoji', name, file, ...(author !== '' && { author }) });
  return null;
}

const ROLES: Readonly<Record<number, HistoryRole>> = {
  100: 'owner',
  200: 'administrator',
  300: 'moderator',
  400: 'member',
  600: 'guest',
};

function roleOf(row: Fields): HistoryRole {
  const role = ROLES[Number(row['role'])];
  if (role !== undefined) return role;
  if (row['is_guest'] === true) return 'guest';
  return row['is_realm_admin'] === true ? 'administrator' : 'member';
}

/** Times are numbers of seconds; some versions write them as ISO 8601. */
export const timeOf = (value: unknown): number | null =>
  typeof value === 'number' ? secondsOf(value) : secondsOfIso(value);

/** Stands for the address of somebody who shows it to nobody, in exports of public messages. */
const HIDDEN_ADDRESS = /^exported-user-[0-9a-f]{8,64}@/;

function userOf(id: string, row: Fields, files: ExportFiles): HistoryUser {
  const email = firstText(row['delivery_email'], row['email']);
  const isOwn = row['full_name'] !== undefined;
  const joinedAt = timeOf(row['date_joined']);
  const timezone = textOf(row['timezone']);
  const owner = idOf(row['bot_owner']);
  const avatar = row['avatar_source'] === 'U' ? files.avatarOf(id) : undefined;
  return {
    kind: 'user',
    id,
    name: firstText(row['full_name'], email.replace(/@.*$/s, '').replace(/-/g, ' '), `user ${id}`),
    // The service's own bots belong to none of its realms.
    ...(isOwn && email !== '' && !HIDDEN_ADDRESS.test(email) && { email }),
    bot: !isOwn || row['is_bot'] === true,
    ...(owner !== '' && { owner }),
    active: row['is_active'] !== false,
    role: roleOf(row),
    ...(timezone !== '' && { timezone }),
    ...(joinedAt !== null && { joinedAt }),
    ...(avatar !== undefined && { avatar }),
  };
}

function channelOf(id: string, row: Fields): HistoryChannel {
  const createdAt = timeOf(row['date_created']);
  const days = daysOf(row);
  const creator = idOf(row['creator']);
  return {
    kind: 'channel',
    id,
    // Older versions marked archived channels in their names.
    name: textOf(row['name']).replace(/^!*DEACTIVATED:/, ''),
    description: textOf(row['description']),
    private: row['invite_only'] === true,
    ...(days !== undefined && { retentionDays: days }),
    archived: row['deactivated'] === true,
    ...(row['is_web_public'] === true && { webPublic: true }),
    ...(row['history_public_to_subscribers'] === false && { ownHistory: true }),
    ...(createdAt !== null && { createdAt }),
    ...(creator !== '' && { creator }),
    subscribers: [],
  };
}
