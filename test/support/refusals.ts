import { expect } from 'vitest';

export function missing(name: string) {
  return { code: 'REQUEST_VARIABLE_MISSING', var_name: name };
}

export function bad(msg: RegExp) {
  return { code: 'BAD_REQUEST', msg: expect.stringMatching(msg) };
}

/** The whole reply. */
export const refused = (msg: RegExp | string, code = 'BAD_REQUEST') => ({
  status: 400,
  body: { result: 'error', code, msg: expect.stringMatching(msg) },
});
