/**
 * How an API key came to be: a log-in, the operator's commands, the creation of a bot, a request for one in place of all
 * others, or one for a further key of a bot.
 */
export const KEY_MAKERS = ['login', 'command', 'bot', 'regenerated', 'further'] as const;
export type KeyMaker = (typeof KEY_MAKERS)[number];

/** Keys of which there may be any number of askings: the oldest of them makes room for the next. */
export const makesRoom = (maker: KeyMaker) => maker === 'login' || maker === 'further';
