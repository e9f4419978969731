import { table } from '../table.ts';

/** When (UNIX milliseconds) the owner of a bot was last told that it sends where nobody listens: not more than now and then. */
export const botNotices = table<[botId: number], { readonly at: number }>('bot_notices', ['at']);
