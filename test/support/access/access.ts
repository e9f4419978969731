import type { ErrorCode } from '../../../src/domain/wire/errors.ts';
import type { Params } from '../client.ts';
import type { UploadedPart } from '../files/uploads.ts';
import { ASKERS, type Asker, ROLES, type Role, type World } from './world.ts';

/** `ok`, or the code of the refusal. */
type Outcome = 'ok' | ErrorCode;
type Outcomes = Readonly<Record<Asker, Outcome>>;

interface Request {
  /** When it is not that of the endpoint. */
  readonly path?: string;
  readonly params?: Params;
  /** In place of the params. */
  readonly file?: UploadedPart;
  readonly headers?: Record<string, string>;
}

export interface Row {
  /** Puts right what the request would change for those that come after it. */
  readonly after?: (world: World, asker: Asker) => Promise<unknown>;
  readonly outcomes: Outcomes;
  readonly request: (world: World, asker: Asker) => Request | Promise<Request>;
}

type Given = Params | Row['request'];

export const row = (outcomes: Outcomes, given: Given): Row => ({
  outcomes,
  request: typeof given === 'function' ? (given as Row['request']) : () => ({ params: given }),
});

/** The given roles may; the other ones are refused with `refusal`. */
export const only = (roles: readonly Role[], refusal: ErrorCode = 'BAD_REQUEST'): Outcomes => ({
  nobody: 'UNAUTHORIZED',
  stranger: 'UNAUTHORIZED',
  ...(Object.fromEntries(
    ROLES.map((role) => [role, roles.includes(role) ? 'ok' : refusal]),
  ) as Record<Role, Outcome>), // one entry per role, by construction
});

export const everyone = only(ROLES);
export const nonGuests = only(['member', 'moderator', 'administrator', 'owner']);
export const administrators = only(['administrator', 'owner']);
export const owners = only(['owner']);
/** A guest is not told that there is such a channel. */
export const channelAdministrators: Outcomes = {
  ...only(['administrator', 'owner'], 'CANNOT_ADMINISTER_CHANNEL'),
  guest: 'BAD_REQUEST',
};
/** Roles are asked for by the code of their own. */
export const administratorsByRole = only(['administrator', 'owner'], 'UNAUTHORIZED_PRINCIPAL');
export const ownersByRole = only(['owner'], 'UNAUTHORIZED_PRINCIPAL');

export const all = (outcome: Outcome): Outcomes =>
  Object.fromEntries(ASKERS.map((asker) => [asker, outcome])) as Outcomes; // one entry per asker
