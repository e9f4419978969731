import { expect, test } from 'vitest';
import { openSessions } from '../../src/console/sessions.ts';
import {
  CONSOLE_LOGINS_PER_MINUTE,
  CONSOLE_SESSION_MS,
  CONSOLE_SESSIONS_MAX,
  CONSOLE_TOKEN_MS,
  CONSOLE_TOKENS_MAX,
} from '../../src/domain/limits/operator.ts';

function opened(operatorToken: string | null = null) {
  const clock = { now: 5_000 };
  const sessions = openSessions(() => clock.now, operatorToken);
  return { clock, sessions };
}

test('a token lets one browser in, once', () => {
  const { sessions } = opened();
  const { token } = sessions.issue();
  const session = sessions.redeem(token) ?? '';
  expect(sessions.has(session)).toBe(true);
  expect(sessions.redeem(token)).toBeUndefined();
  expect(sessions.has(token)).toBe(false);
  expect(sessions.redeem('')).toBeUndefined();
});

test('a token that was not used in time is refused', () => {
  const { clock, sessions } = opened();
  const early = sessions.issue();
  const late = sessions.issue();
  clock.now += CONSOLE_TOKEN_MS - 1;
  expect(sessions.redeem(early.token)).toBeDefined();
  clock.now += 1;
  expect(sessions.redeem(late.token)).toBeUndefined();
});

test('a session ends when nothing is asked in it, or when it is ended', () => {
  const { clock, sessions } = opened();
  const session = sessions.redeem(sessions.issue().token) ?? '';
  for (let times = 0; times < 3; times++) {
    clock.now += CONSOLE_SESSION_MS - 1;
    expect(sessions.has(session)).toBe(true);
  }
  clock.now += CONSOLE_SESSION_MS;
  expect(sessions.has(session)).toBe(false);
  const other = sessions.redeem(sessions.issue().token) ?? '';
  sessions.end(other);
  expect(sessions.has(other)).toBe(false);
});

test('the oldest tokens and sessions make room for new ones', () => {
  const { sessions } = opened();
  const tokens = Array.from({ length: CONSOLE_TOKENS_MAX + 1 }, () => sessions.issue().token);
  const [first, second] = tokens.map((token) => sessions.redeem(token));
  expect(first).toBeUndefined();
  expect(second).toBeDefined();
  for (let count = 0; count < CONSOLE_SESSIONS_MAX; count++) {
    sessions.redeem(sessions.issue().token);
  }
  expect(sessions.has(second ?? '')).toBe(false);
});

test('the token of the operator opens sessions, and is guessed a few times a minute only', () => {
  const { clock, sessions } = opened('secret');
  expect(sessions.logIn('secret')).toBeDefined();
  for (let count = 0; count < CONSOLE_LOGINS_PER_MINUTE; count++) {
    expect(sessions.logIn(`guess ${count}`)).toBeUndefined();
  }
  expect(sessions.logIn('secret')).toBeUndefined();
  clock.now += 60_000;
  expect(sessions.logIn('secret')).toBeDefined();
});

test('without a token of the operator none opens a session', () => {
  const { sessions } = opened();
  expect(sessions.logIn('')).toBeUndefined();
  expect(sessions.logIn('null')).toBeUndefined();
});
