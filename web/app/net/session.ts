/** The requests of the log-in page. It has no account yet, so that they are plain ones. */

import { ownPath } from '../store/organization/own-path.ts';
import { keepAccount } from './account.ts';

const API = '/api/v1';

/** The facts that a server tells those who are not logged in. */
export interface Doorstep {
  readonly realmName: string;
  readonly iconUrl: string | null;
  readonly hasPasswords: boolean;
  /** True if a directory takes user names as well. */
  readonly takesNames: boolean;
  /** True if the server mails links to those who have forgotten their passwords. */
  readonly mailsLinks: boolean;
  /** People of the demo organization, who need no password to be typed. */
  readonly demo: readonly DemoPerson[];
  /** Providers by which people sign in. */
  readonly providers: readonly SignInProvider[];
}

export interface SignInProvider {
  readonly name: string;
  readonly iconUrl: string | null;
  readonly url: string;
}

export interface DemoPerson {
  readonly id: number;
  readonly name: string;
  readonly role: string;
}

const ROLES: Readonly<Record<number, string>> = {
  100: 'Owner',
  200: 'Administrator',
  300: 'Moderator',
  400: 'Member',
  600: 'Guest',
};

/** The page that mails a link to a forgotten password. */
export const PASSWORD_RESET_PATH = '/accounts/password/reset/';

type Fields = Readonly<Record<string, unknown>>;

export async function ask(
  method: string,
  path: string,
  params?: Record<string, string>,
): Promise<Fields> {
  let reply: Response;
  try {
    reply = await fetch(API + path, {
      method,
      ...(params === undefined ? {} : { body: new URLSearchParams(params) }),
    });
  } catch {
    throw new Error('The server cannot be reached. Is there a connection?');
  }
  const fields: unknown = await reply.json().catch(() => null);
  if (typeof fields !== 'object' || fields === null) {
    throw new Error(`The server answered with ${reply.status}.`);
  }
  const { result, msg } = fields as Fields;
  if (result !== 'success') {
    const words = typeof msg === 'string' ? msg : 'It was refused.';
    // The page looks at the second step, which the refusal names.
    throw Object.assign(new Error(words), {
      methods: (fields as Fields)['second_step_methods'],
    });
  }
  return fields as Fields;
}

/** Tells whether the server sends mail, which it tells plain requests of the page alone. */
export const sendsMail = async (): Promise<boolean> => (await doorstep()).mailsLinks;

export async function doorstep(): Promise<Doorstep> {
  const { realm_name: name, realm_icon: icon, ...fields } = await ask('GET', '/server_settings');
  const takesNames = fields['require_email_format_usernames'] === false;
  return {
    realmName: typeof name === 'string' ? name : '',
    iconUrl: typeof icon === 'string' && icon !== '' ? ownPath(icon, fields['realm_url']) : null,
    hasPasswords: takesNames || fields['email_auth_enabled'] !== false,
    takesNames,
    mailsLinks: fields['service_password_reset_enabled'] === true,
    demo: demoIn(fields['service_demo_people']),
    providers: providersIn(fields['external_authentication_methods']),
  };
}

function providersIn(value: unknown): readonly SignInProvider[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((one: Fields) => {
    const { display_name: name, display_icon: icon, login_url: url } = one;
    return typeof name === 'string' && typeof url === 'string'
      ? [{ name, url, iconUrl: typeof icon === 'string' && icon.startsWith('data:') ? icon : null }]
      : [];
  });
}

function demoIn(value: unknown): readonly DemoPerson[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((one: Fields) => {
    const { user_id: id, full_name: name, role } = one;
    return typeof id === 'number' && typeof name === 'string'
      ? [{ id, name, role: ROLES[Number(role)] ?? '' }]
      : [];
  });
}

/** Logs in; the browser keeps the cookie, which scripts never see. */
export async function logIn(username: string, password: string, code?: string): Promise<void> {
  const { user_id: id } = await ask('POST', '/sessions', {
    username,
    password,
    ...(code === undefined ? {} : { second_step_code: code }),
  });
  keepAccount(typeof id === 'number' ? id : null);
}

/** Logs in as one of the people of a demo. */
export async function logInAs({ id }: DemoPerson): Promise<void> {
  await ask('POST', '/sessions/demo', { user_id: String(id) });
  keepAccount(id);
}
