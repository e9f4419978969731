import type { IncomingMessage, ServerResponse } from 'node:http';
import type { BuiltPage } from '../transport/web/built-page.ts';
import type { ConsoleInput } from './console-input.ts';
import { isOwnHost } from './guard.ts';
import { logInPage } from './log-in-page.ts';
import * as replies from './replies.ts';
import { isEqual } from './sessions.ts';

/** Decides who comes in, and shows the page before that. */
export interface Door {
  /** Tests whether the request means this listener, by whatever name a page has led it here. */
  isMeant(req: IncomingMessage): boolean;
  /** Tests for a browser that has logged in. */
  hasSession(req: IncomingMessage): boolean;
  /** Tests for a program that sends the operator's token, which no page could make it do. */
  isProgram(req: IncomingMessage): boolean;
  /** Says how to log in. */
  show(res: ServerResponse): void;
  /** Lets a browser in with a one-time token, and asks it to go on without that. */
  redeem(req: IncomingMessage, res: ServerResponse, token: string): void;
  /** Lets a browser in with the operator's token. */
  logIn(req: IncomingMessage, res: ServerResponse, token: string): void;
  logOut(req: IncomingMessage): void;
}

type DoorInput = Pick<ConsoleInput, 'settings' | 'sessions' | 'token'> & {
  readonly built: () => BuiltPage;
};

export function openDoor({ settings, sessions, token: operatorToken, built }: DoorInput): Door {
  const ownHost = settings.operator?.host ?? '';

  function show(res: ServerResponse, isRefused = false) {
    const { style } = built();
    const page = logInPage({ style, isRefused, takesToken: operatorToken !== null });
    replies.answerHtml(res, isRefused ? 403 : 401, page);
  }

  function letIn(req: IncomingMessage, res: ServerResponse, session: string | undefined) {
    if (session === undefined) show(res, true);
    else replies.redirect(res, '/console', cookieFor(req, session));
  }

  return {
    // Behind a token any name may be meant: what is asked without a token or a cookie is refused,
    // and a browser sends the cookie to the name that it got it from.
    isMeant: ({ headers }) => operatorToken !== null || isOwnHost(headers.host, ownHost),
    hasSession(req) {
      const session = cookieOf(req);
      return session !== undefined && sessions.has(session);
    },
    isProgram({ headers: { authorization = '' } }) {
      const [, given] = /^Bearer +(\S+)$/i.exec(authorization) ?? [];
      return operatorToken !== null && given !== undefined && isEqual(given, operatorToken);
    },
    show: (res) => show(res),
    redeem: (req, res, token) => letIn(req, res, sessions.redeem(token)),
    logIn: (req, res, token) => letIn(req, res, sessions.logIn(token)),
    logOut(req) {
      const session = cookieOf(req);
      if (session !== undefined) sessions.end(session);
    },
  };
}

/** Browsers send the cookies of one port to all ports of a host, so its name has the port. */
const cookieName = ({ socket }: IncomingMessage) => `confab_console_${socket.localPort ?? 0}`;

const cookieFor = (req: IncomingMessage, session: string) =>
  `${cookieName(req)}=${session}; Path=/console; HttpOnly; SameSite=Strict`;

function cookieOf(req: IncomingMessage): string | undefined {
  const start = `${cookieName(req)}=`;
  const cookies = (req.headers.cookie ?? '').split('; ');
  return cookies.find((cookie) => cookie.startsWith(start))?.slice(start.length);
}
