/**
 * How an API key was made: by a log-in, by the operator's commands, with a bot, by a request for
 * one in place of all others, or by a request for a further key of a bot.
 */
export const KEY_MAKERS = ['login', 'command', 'bot', 'regenerated', 'further'] as const;
export type KeyMaker = (typeof KEY_MAKERS)[number];

/**
 * Tests for makers without a limit of requests: the oldest key of theirs makes room for the next.
 */
export const makesRoom = (maker: KeyMaker) => maker === 'login' || maker === 'further';
