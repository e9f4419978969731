/** The second step of log-ins: requests that work also before the account could be opened. */
import type { ReplyOf } from '@confab/client';
import { ask } from './ask.ts';

export type SecondStep = ReplyOf<'GET', '/users/me/second_step'>;

const own = '/users/me/second_step';
const codesOf = (fields: Readonly<Record<string, unknown>>) =>
  fields['recovery_codes'] as readonly string[];

export const secondStep = async () => (await ask('GET', own)) as unknown as SecondStep;

export const beginApp = async (password: string) =>
  (await ask('POST', `${own}/app`, { password })) as unknown as ReplyOf<
    'POST',
    '/users/me/second_step/app'
  >;

/** Adds the app. Returns recovery codes if it is the first second step. */
export const confirmApp = async (code: string) =>
  codesOf(await ask('POST', `${own}/app/confirm`, { code }));

export const removeApp = (password: string) => ask('DELETE', `${own}/app`, { password });

export const renewCodes = async (password: string) =>
  codesOf(await ask('POST', `${own}/recovery_codes`, { password }));

export const removePasskey = (id: string, password: string) =>
  ask('DELETE', `/users/me/passkeys/${encodeURIComponent(id)}`, { password });

/** Has the browser make a passkey, and adds it. */
export async function addPasskey(name: string, password: string): Promise<readonly string[]> {
  const { startRegistration } = await import('@simplewebauthn/browser');
  const { options } = await ask('POST', '/users/me/passkeys/options', { password });
  const response = await told(startRegistration({ optionsJSON: options as never }), NOT_ADDED);
  return codesOf(
    await ask('POST', '/users/me/passkeys', { name, response: JSON.stringify(response) }),
  );
}

/** Logs in with a passkey that the person picks. Returns the id of the account. */
export async function logInByPasskey(): Promise<number> {
  const { startAuthentication } = await import('@simplewebauthn/browser');
  const { options } = await ask('POST', '/sessions/passkey/options');
  const response = await told(startAuthentication({ optionsJSON: options as never }), NOT_USED);
  const { user_id: id } = await ask('POST', '/sessions/passkey', {
    response: JSON.stringify(response),
  });
  return Number(id);
}

const NOT_ADDED = 'No passkey was added. Try again, or add an app.';
const NOT_USED = 'No passkey was used. Try again, or log in another way.';

/** Words for the errors that a browser names so: its own texts are for programmers. */
const TOLD: Readonly<Record<string, string>> = {
  InvalidStateError: 'This device has a passkey of your account already.',
  SecurityError: 'The browser allows no passkeys at this address. Ask whoever runs the server.',
  ConstraintError: 'This device cannot make a passkey. Try another one, or add an app.',
  NotSupportedError: 'This device cannot make a passkey. Try another one, or add an app.',
};

/** Waits for the browser, and says its errors in plain words. Most tell that somebody cancelled. */
async function told<Response>(asked: Promise<Response>, otherwise: string): Promise<Response> {
  try {
    return await asked;
  } catch (cause) {
    throw new Error(TOLD[(cause as Error).name] ?? otherwise, { cause });
  }
}

/** Tests whether this browser has passkeys at all; without TLS it has none. */
export const hasPasskeys = (): boolean => typeof globalThis.PublicKeyCredential === 'function';

/** Draws a QR code as an SVG text, dark on white whatever the theme. */
export async function qrOf(text: string): Promise<string> {
  const { renderSVG } = await import('uqr');
  return `data:image/svg+xml,${encodeURIComponent(renderSVG(text, { border: 4 }))}`;
}
