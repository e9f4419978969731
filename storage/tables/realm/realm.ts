import {
  type RealmSettings,
  realmSettingsDefaults,
} from '../../../src/domain/wire/settings/realm-settings.ts';
import type { UserSettings } from '../../../src/domain/wire/settings/user-settings.ts';
import { table } from '../../table.ts';

/** The organization itself. */
export interface RealmRow {
  readonly id: number;
  /** The first label of its host name; unique in the deployment, where former names stay taken. */
  readonly stringId: string;
  readonly name: string;
  readonly description: string;
  /** UNIX seconds. */
  readonly dateCreated: number;
  readonly isActive: boolean;
  /** Only what differs from the defaults. */
  readonly settings: Partial<RealmSettings>;
  /** Settings of new accounts, where they differ from the defaults. */
  readonly userDefaults: Partial<UserSettings>;
  /**
   * UNIX seconds: when a deactivated organization may be deleted. Null: whenever its operator
   * likes.
   */
  readonly deletableAt: number | null;
  /** Earlier names by which the realm is still found, oldest first. */
  readonly formerStringIds: readonly string[];
  /** The first of all its names, of which addresses are made up; null: it has had no other. */
  readonly firstStringId: string | null;
  /** The newest version of the server whose news were told here, or need not be. */
  readonly newsVersion: string;
  /**
   * Ids that the realm had where it was imported from. Paths of its files and images that were made
   * there contain them.
   */
  readonly formerIds: readonly number[];
}

/** One row: an environment holds one realm. */
export const realm = table<[only: 'realm'], RealmRow>(
  'realm',
  [
    'id',
    'stringId',
    'name',
    'description',
    'dateCreated',
    'isActive',
    'settings',
    'userDefaults',
    'deletableAt',
    'formerStringIds',
    'firstStringId',
    'newsVersion',
    'formerIds',
  ],
  {
    defaults: {
      userDefaults: {},
      deletableAt: null,
      formerStringIds: [],
      firstStringId: null,
      newsVersion: '0.1.0',
      formerIds: [],
    },
    cache: 'read-mostly',
    decidesLogins: true,
    audited: [
      {
        kind: 'realm',
        target: () => 'realm',
        values: (row) => ({
          string_id: row.stringId,
          name: row.name,
          description: row.description,
          is_active: row.isActive,
          deletable_at: row.deletableAt,
          ...realmSettingsDefaults(),
          ...row.settings,
        }),
      },
      // A setting that is as the server has it has no value here.
      { kind: 'user_defaults', target: () => 'realm', values: (row) => row.userDefaults },
    ],
  },
);

export interface SecretRow {
  readonly value: string;
}

type SecretName = 'external content' | `addresses of channel ${number}`;

/**
 * Secrets that the realm signs with, a row for each purpose, which never leave the server. One is
 * made with the realm; a channel has one of its own once its mail addresses were ended.
 */
export const secrets = table<[name: SecretName], SecretRow>('secrets', ['value']);

/**
 * The last number given out of each sequence. Numbers are never used twice, even when a row is
 * deleted.
 */
export interface Counters {
  /** The head of the event log: the id of the newest event. */
  readonly event: number;
  readonly message: number;
  readonly user: number;
  readonly channel: number;
  readonly recipient: number;
}

/** One row, written once a commit. */
export const counters = table<[only: 'counters'], Counters>('counters', [
  'event',
  'message',
  'user',
  'channel',
  'recipient',
]);

/** Sequences that are used seldom; `counters` holds those that every send uses. */
export type Sequence =
  | 'alertWord'
  | 'attachment'
  | 'audit'
  | 'channelFolder'
  | 'crowd'
  | 'defaultChannelGroup'
  | 'draft'
  | 'export'
  | 'group'
  | 'invitation'
  | 'inviteLink'
  | 'letter'
  | 'linkifier'
  /** Counts changes, so that what was made of the list is known to be of the present one. */
  | 'linkifierChange'
  | 'playground'
  | 'presence'
  | 'profileField'
  | 'pushWork'
  | 'realmEmoji'
  | 'reminder'
  | 'savedSnippet'
  | 'scheduledMessage'
  | 'searchSegment'
  | 'submessage';

/**
 * The last number given out of a sequence. Numbers are never used twice, even if the row that had
 * one is deleted.
 */
export const sequences = table<[sequence: Sequence], { readonly last: number }>(
  'number_lines',
  ['last'],
  { cache: 'read-mostly' },
);
