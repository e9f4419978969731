import { randomInt } from 'node:crypto';
import type { RealmTransaction } from '../../storage/realm-store.ts';
import type { UserRow } from '../../storage/tables/users.ts';
import { BotType } from '../domain/bot-types.ts';
import * as errors from '../domain/errors.ts';
import { Role } from '../domain/roles.ts';
import { apiEmail } from '../domain/users.ts';
import { avatarUrl } from './avatars.ts';
import type { Caller, Place } from './caller.ts';
import { accounts, may, type Reads } from './groups.ts';
import * as users from './users.ts';

export interface NewBot {
  readonly email: string;
  readonly fullName: string;
  readonly owner: UserRow;
  /** What an outgoing-webhook bot calls; any other bot is a generic one. */
  readonly service?: { readonly baseUrl: string; readonly interface: 1 | 2 } | undefined;
}

/** Adds a bot and tells those who manage it. */
export function create(tx: RealmTransaction, place: Place, bot: NewBot): UserRow {
  const { email, fullName, owner, service } = bot;
  return users.create(
    tx,
    {
      email,
      fullName,
      role: Role.member,
      botType: service === undefined ? BotType.generic : BotType.outgoingWebhook,
      botOwnerId: owner.id,
      ...(service === undefined ? {} : { service: { ...service, token: newToken() } }),
    },
    place,
  );
}

/** Adds a bot of one's own. */
export function createOwn(
  tx: RealmTransaction,
  { user, place }: Caller,
  bot: Omit<NewBot, 'owner' | 'email'> & { shortName: string },
) {
  if (!may(tx, user, 'can_create_bots_group')) throw errors.badRequest('Insufficient permission');
  const fullName = bot.fullName.trim();
  for (const [, id] of tx.userNames.keysUnder([fullName.toLowerCase()])) {
    const namesake = tx.users.get([id]);
    if (namesake?.isActive && namesake.botType !== null) {
      throw errors.badRequest('Name is already in use!');
    }
  }
  const row = create(tx, place, {
    email: `${bot.shortName}-bot@${place.host}`,
    fullName,
    owner: user,
    service: bot.service,
  });
  return {
    user_id: row.id,
    api_key: users.issueApiKey(tx, row.id, 'issued'),
    avatar_url: avatarUrl(row),
    ...NO_DEFAULTS,
  };
}

/** The active bots of an account. Only hashes of keys are stored, so none can be told. */
export function ownedBy(reads: Reads, owner: UserRow, place: Place) {
  const bots: object[] = [];
  for (const bot of accounts(reads)) {
    if (bot.botOwnerId !== owner.id || !bot.isActive) continue;
    bots.push({
      username: apiEmail(bot, place.host),
      full_name: bot.fullName,
      api_key: '',
      avatar_url: avatarUrl(bot),
      ...NO_DEFAULTS,
    });
  }
  return bots;
}

const NO_DEFAULTS = {
  default_sending_stream: null,
  default_events_register_stream: null,
  default_all_public_streams: false,
};

const TOKEN_LENGTH = 32;
const ALPHANUMERICS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** 190 bits, in letters and digits (specification, "outgoing-webhook delivery"). */
const newToken = () =>
  Array.from({ length: TOKEN_LENGTH }, () => ALPHANUMERICS[randomInt(ALPHANUMERICS.length)]).join(
    '',
  );
