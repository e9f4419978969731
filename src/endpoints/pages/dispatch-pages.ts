import * as errors from '../../domain/errors.ts';
import type { Deployment } from '../dispatch.ts';
import { confirmEmailPage } from './confirm-email-page.ts';
import { joinPage } from './join-page.ts';
import { html } from './markup.ts';
import type { Page, PageReply } from './page.ts';

/** A request for a page, as the transport brings it. */
export interface PageCall {
  readonly method: string;
  /** From the root of the server, as sent. */
  readonly path: string;
  readonly host: string;
  readonly form: () => Readonly<Record<string, string>>;
}

/** What becomes of it; undefined where the path is that of no page. */
export type PageDispatch = (call: PageCall) => PageOutcome | undefined;

export type PageOutcome =
  | { readonly allowed: readonly string[]; readonly isAllowed: false }
  | { readonly isAllowed: true; readonly reply: Promise<PageReply> };

const PAGES: readonly Page[] = [joinPage, confirmEmailPage];
const ALLOWED = ['GET', 'HEAD', 'POST'];

export function openPages(deployment: Deployment, pages: readonly Page[] = PAGES): PageDispatch {
  const patterns = pages.map((page) => ({ page, pattern: patternOf(page.path) }));
  return (call) => {
    for (const { page, pattern } of patterns) {
      const values = pattern.exec(call.path)?.groups;
      if (values === undefined) continue;
      if (!ALLOWED.includes(call.method)) return { allowed: ALLOWED, isAllowed: false };
      return { isAllowed: true, reply: answer(page, { ...values }, call) };
    }
    return undefined;
  };

  async function answer(page: Page, values: Record<string, string>, call: PageCall) {
    const { realm, place } = deployment.at(call.host);
    if (realm === undefined) return NO_REALM;
    if (!realm.isOpen()) throw errors.serverStopping();
    const visit = { realm, place, values, form: call.method === 'POST' ? call.form() : {} };
    return call.method === 'POST' ? page.submit(visit) : page.show(visit);
  }
}

/** A path of words and parameters, with or without a slash at its end. Parameters here are letters and digits. */
const patternOf = (path: string) =>
  new RegExp(`^${path.replace(/\{(\w+)\}/g, '(?<$1>[A-Za-z0-9]+)').replace(/\/$/, '/?')}$`);

const NO_REALM: PageReply = {
  status: 404,
  title: 'Not found',
  main: html`<h1>Not found</h1><p>There is no organization at this address.</p>`,
};
