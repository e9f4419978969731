import { readSettings } from '../../src/config.ts';
import type { Site } from '../../src/operations/access/caller.ts';
import * as subscriptions from '../../src/operations/channels/subscriptions.ts';
import type { UserRow } from '../../storage/tables/people/users.ts';
import type { RealmTransaction } from '../../storage/transaction.ts';

// The stores that are made here share these helpers.

export const SITE: Site = {
  url: 'https://chat.example.com',
  currentUrl: 'https://chat.example.com',
  settledUrl: 'https://chat.example.com',
  requestHost: 'chat.example.com',
  host: 'chat.example.com',
  mailHost: 'chat.example.com',
  serverStartedAt: 0,
  settings: readSettings({ CONFAB_PREVIEWS: '0', CONFAB_GRAVATAR: '0', CONFAB_WEB_PUBLIC: '0' }),
};

export function userOf(tx: RealmTransaction, id: number): UserRow {
  const user = tx.users.get([id]);
  if (user === undefined) throw new Error(`there is no user ${id}`);
  return user;
}

interface NewChannel {
  readonly name: string;
  /** Its subscribers, by their ids; the first makes it. */
  readonly people: readonly number[];
  readonly isPrivate?: boolean;
  /** People who come later may read what was said before, unless this is false. */
  readonly hasSharedHistory?: boolean;
}

export function addChannel(tx: RealmTransaction, channel: NewChannel): void {
  const { name, people, isPrivate = false, hasSharedHistory = true } = channel;
  const [maker, ...others] = people.map((id) => userOf(tx, id));
  if (maker === undefined) throw new Error(`nobody makes ${name}`);
  subscriptions.subscribe(tx, maker, {
    channels: [{ name, description: '' }],
    principals: [maker, ...others],
    site: SITE,
    areRefusalsFatal: true,
    creation: {
      isPrivate,
      isWebPublic: false,
      isDefault: false,
      hasSharedHistory,
      messageRetentionDays: null,
      topicsPolicy: 'inherit',
      groups: {},
      folderId: null,
    },
  });
}
