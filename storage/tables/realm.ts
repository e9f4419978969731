import type { RealmSettings } from '../../src/domain/realm-settings.ts';
import type { UserSettings } from '../../src/domain/user-settings.ts';
import { table } from '../table.ts';

/** The organization itself. */
export interface RealmRow {
  readonly id: number;
  /** The first label of its host name; unique in the deployment, among the former ones as well. */
  readonly stringId: string;
  readonly name: string;
  readonly description: string;
  /** UNIX seconds. */
  readonly dateCreated: number;
  readonly isActive: boolean;
  /** Only what differs from the defaults. */
  readonly settings: Partial<RealmSettings>;
  /** Only what differs from the defaults: what new accounts begin with. */
  readonly userDefaults: Partial<UserSettings>;
  /** UNIX seconds: when a deactivated organization may be deleted. Null: whenever its operator likes. */
  readonly deletableAt: number | null;
  /** By which it is still found, oldest first. */
  readonly formerStringIds: readonly string[];
  /** The first of all its names, by which addresses are made up; null: it has had no other. */
  readonly firstStringId: string | null;
  /** The newest version of the server whose news were told here, or need not be. */
  readonly newsVersion: string;
  /** What it was numbered where it was imported from: paths of its files and pictures that were made there say that. */
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
    userDefaults: {},
    deletableAt: null,
    formerStringIds: [],
    firstStringId: null,
    newsVersion: '0.1.0',
    formerIds: [],
  },
);
