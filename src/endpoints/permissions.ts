import * as errors from '../domain/wire/errors.ts';
import { isAdministrator, isGuest, isOwner, type Role } from '../domain/wire/roles.ts';

interface Standing {
  readonly role: Role;
  readonly botType: number | null;
}

/**
 * Decides which accounts may call an endpoint at all, before its parameters are parsed. Refuses or
 * returns.
 */
export interface Rule {
  (user: Standing): void;
  /** The accounts that it lets in, for the documents. */
  readonly who: string;
}

/** Makes a rule with a description of the accounts that it lets in. */
export const rule = (who: string, check: (user: Standing) => void): Rule =>
  Object.assign(check, { who });

export const anyUser = rule('everyone', () => undefined);

export const nonGuests = rule('everyone but guests', ({ role }) => {
  if (isGuest(role)) throw errors.badRequest('Not allowed for guest users');
});

export const administrators = rule('administrators', ({ role }) => {
  if (!isAdministrator(role)) throw errors.badRequest('Must be an organization administrator');
});

/**
 * The same with the text of endpoints for accounts (reference/endpoints.md 2.2: BR "insufficient
 * permission").
 */
export const accountManagers = rule('administrators', ({ role }) => {
  if (!isAdministrator(role)) throw errors.badRequest('Insufficient permission');
});

export const people = rule('people, not bots', ({ botType }) => {
  if (botType !== null) throw errors.badRequest('This endpoint does not accept bot requests.');
});

/**
 * The same as `administrators`, for endpoints where the API has a code of its own (specification,
 * "Errors").
 */
export const administratorsOnly = rule('administrators', ({ role }) => {
  if (!isAdministrator(role)) {
    throw errors.unauthorizedPrincipal('Must be an organization administrator');
  }
});

export const ownersOnly = rule('owners', ({ role }) => {
  if (!isOwner(role)) throw errors.unauthorizedPrincipal('Must be an organization owner');
});

/** Combines rules, which are checked in this order. */
export const all = (...rules: readonly Rule[]): Rule =>
  rule(rules.map(({ who }) => who).join('; '), (user) => {
    for (const one of rules) one(user);
  });
