/**
 * How an API key was made: by a log-in, by the operator's commands, with a bot, by a request for
 * one in place of all others, by a request for a further key of a bot, or by a token (JWT) of
 * another service of the operator.
 */
export const KEY_MAKERS = ['login', 'command', 'bot', 'regenerated', 'further', 'jwt'] as const;
export type KeyMaker = (typeof KEY_MAKERS)[number];

/**
 * Tests for makers without a limit of requests: the oldest key of theirs makes room for the next.
 */
export const makesRoom = (maker: KeyMaker) =>
  maker === 'login' || maker === 'further' || maker === 'jwt';
