import { z } from 'zod';
import { BOT_SHORT_NAME_LENGTH_MAX } from '../../domain/limits/bots.ts';
import { BotType } from '../../domain/wire/bot-types.ts';
import * as errors from '../../domain/wire/errors.ts';
import * as objects from '../../domain/wire/objects.ts';
import { accountOfUser } from '../../operations/access/authentication.ts';
import type { RealmTransaction } from '../../operations/access/caller.ts';
import * as bots from '../../operations/bots/bots.ts';
import { endpoint, type Values } from '../endpoint.ts';
import { AVATAR_SHAPES } from '../files/avatar-shapes.ts';
import { keepImage } from '../files/receive-image.ts';
import { given, integer, text } from '../params.ts';
import { all, nonGuests, people } from '../permissions.ts';
import * as botParams from './bot-params.ts';
import * as botReplies from './bot-replies.ts';

const TYPES: readonly number[] = [
  BotType.generic,
  BotType.incomingWebhook,
  BotType.outgoingWebhook,
];

const params = {
  full_name: text,
  short_name: text
    .trim()
    .toLowerCase()
    .max(BOT_SHORT_NAME_LENGTH_MAX, 'is too long')
    .regex(/^[a-z0-9]([a-z0-9._-]*[a-z0-9])?$/, 'is invalid')
    .describe('The bot is addressed as `<short_name>-bot` at the host of the organization'),
  bot_type: integer
    .refine((type) => TYPES.includes(type), 'is invalid')
    .default(BotType.generic)
    .describe('1 generic, 2 incoming webhook, which may do nothing but send, 3 outgoing webhook'),
  payload_url: botParams.payloadUrl
    .optional()
    .describe('What an outgoing-webhook bot calls, with http or https'),
  interface_type: botParams.interfaceType.default(1),
  config_data: botParams.config,
  ...botParams.defaults,
};

// These are the names of the object.
const DEFAULTS = Object.keys(botParams.defaults) as (keyof typeof botParams.defaults)[];

const memberOnly = all(nonGuests, people);

export const createBot = endpoint({
  summary: 'Create a bot of your own',
  description:
    'An image of it may come along, of at most 5 MiB, as the one file of a `multipart/form-data` body.',
  method: 'POST',
  path: '/bots',
  takesFile: true,
  allow: memberOnly,
  params,
  holdsSecret: true,
  reply: {
    user_id: z.int(),
    api_key: z.string(),
    avatar_url: objects.avatarUrl,
    ...botReplies.defaults,
  },
  refuses: ['BAD_REQUEST', 'BAD_IMAGE', 'REQUEST_VARIABLE_MISSING'],
  emits: ['realm_user', 'user_group', 'realm_bot'],
  exchange(request, { realm, answer, refuse }) {
    const { user, site, file } = request;
    const bot = {
      fullName: request.params.full_name,
      shortName: request.params.short_name,
      isIncomingWebhook: request.params.bot_type === BotType.incomingWebhook,
      service: serviceOf(request.params),
      config: request.params.config_data,
      defaults: given(DEFAULTS, request.params),
    };
    const create = (tx: RealmTransaction, uploadedAvatar: bots.NewBot['uploadedAvatar']) => {
      // The account is read again: it may have changed since, and with it who may create bots.
      const current = accountOfUser(tx, user.id);
      memberOnly(current);
      return bots.createOwn(tx, { user: current, site }, { ...bot, uploadedAvatar });
    };
    if (file === null) {
      realm.perform((tx) => create(tx, null), user.id).then(answer, refuse);
      return;
    }
    // No image is drawn for a caller who may not create the bot.
    bots.refuseNew(realm.reader, { user, site }, bot);
    keepImage(realm, request, file, {
      shapes: AVATAR_SHAPES,
      keep: (tx, { images: { small, medium } }) =>
        create(tx, { small: small.still, medium: medium.still }),
    }).then(answer, refuse);
  },
});

function serviceOf({ bot_type, payload_url, interface_type }: Values<typeof params>) {
  if (bot_type !== BotType.outgoingWebhook) return undefined;
  if (payload_url === undefined) throw errors.missingParameter('payload_url');
  return { baseUrl: payload_url, interface: interface_type };
}
