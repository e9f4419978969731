import { z } from 'zod';
import { addressOf } from '../../operations/channels/addresses.ts';
import { endpoint } from '../endpoint.ts';
import { integer } from '../params.ts';
import { anyUser } from '../permissions.ts';

export const getChannelEmail = endpoint({
  summary: 'Get the mail address of a channel',
  description:
    'It belongs to the caller, the channel and the account that messages to it are to come from, and stays the same whatever becomes of their names. Everybody who has it can write into the channel by mail, if the operator lets the server receive mails: the subject of a mail is the topic. It works for as long as the caller may read the channel and the account may write there, so an address with a bot of the caller ends when that bot is deactivated. `DELETE` on the same path ends all addresses of the channel.',
  method: 'GET',
  path: '/streams/{stream_id}/email_address',
  allow: anyUser,
  params: {
    stream_id: integer,
    sender_id: integer
      .optional()
      .describe("The caller, a bot of the caller's, or the notification bot, which is the default"),
  },
  reply: { email: z.string() },
  refuses: ['BAD_REQUEST'],
  read: (reader, { params, ...caller }) => ({
    email: addressOf(reader, caller, { channelId: params.stream_id, senderId: params.sender_id }),
  }),
});
