import * as errors from '../domain/errors.ts';
import { isAdministrator, isGuest, type Role } from '../domain/roles.ts';

interface Standing {
  readonly role: Role;
  readonly botType: number | null;
}

/** Who may call an endpoint at all; runs before its parameters are parsed. Refuses or returns. */
export type Rule = (user: Standing) => void;

export const anyUser: Rule = () => undefined;

export const nonGuests: Rule = ({ role }) => {
  if (isGuest(role)) throw errors.badRequest('Not allowed for guest users');
};

export const administrators: Rule = ({ role }) => {
  if (!isAdministrator(role)) throw errors.badRequest('Must be an organization administrator');
};

export const people: Rule = ({ botType }) => {
  if (botType !== null) throw errors.badRequest('This endpoint does not accept bot requests.');
};

/** The same as `administrators`, where the API gives it a code of its own (specification, "Errors"). */
export const administratorsAlone: Rule = ({ role }) => {
  if (!isAdministrator(role)) {
    throw errors.unauthorizedPrincipal('Must be an organization administrator');
  }
};

/** Every rule, in order. */
export const all =
  (...rules: readonly Rule[]): Rule =>
  (user) => {
    for (const rule of rules) rule(user);
  };
