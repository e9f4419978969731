import * as errors from '../../domain/wire/errors.ts';
import * as realms from '../../operations/access/realms.ts';
import { hasDomain } from '../../settings/addresses.ts';
import type { Deployment } from '../dispatch/deployment.ts';
import type { Origin } from '../endpoint.ts';
import { decoded } from '../routes.ts';
import { allOperationsPage, apiPage } from './api/api-pages.ts';
import { avatarPage, mediumAvatarPage } from './avatar-page.ts';
import { confirmEmailPage } from './confirm-email-page.ts';
import { joinPage } from './join-page.ts';
import { backChannelLogoutPage, loggedOutPage } from './log-out-pages.ts';
import { html } from './markup.ts';
import type { HtmlReply, NoteSignIn, Page, PageReply, PageVisit } from './page.ts';
import { passwordPage } from './password-page.ts';
import { passwordResetPage } from './password-reset-page.ts';
import { scimListPage, scimPage } from './scim-page.ts';
import { signInPage, signInReturnPage } from './sign-in-page.ts';
import { unsubscribePage } from './unsubscribe-page.ts';

/** A request for a page, from the transport. */
export interface PageRequest {
  readonly method: string;
  /** The path from the root of the server, as sent. */
  readonly path: string;
  readonly from: Origin;
  readonly isBrowser: boolean;
  readonly query: () => Readonly<Record<string, string>>;
  readonly form: () => Readonly<Record<string, string>>;
  /** The `If-Match` header; empty for none. */
  readonly ifMatch?: string;
  /** Reads a body that is no form. */
  readonly text: (() => string) | undefined;
}

/** Returns the outcome of a request; undefined if no page has the path. */
export type PageDispatch = (request: PageRequest) => PageOutcome | undefined;

export type PageOutcome =
  | { readonly allowed: readonly string[]; readonly isAllowed: false }
  | {
      readonly isAllowed: true;
      /** True for pages with a form, false for those that lead to an image. */
      readonly hasForm: boolean;
      /** Returns the answer to a refusal, if it is not a page for people. */
      readonly failed?: Page['failed'];
      readonly reply: () => Promise<PageReply>;
    };

/** Pages that may change something, be it only by being shown. */
export const CHANGING_PAGES: readonly Page[] = [
  joinPage,
  confirmEmailPage,
  passwordResetPage,
  passwordPage,
  signInPage,
  signInReturnPage,
  backChannelLogoutPage,
  loggedOutPage,
  unsubscribePage,
  scimListPage,
  scimPage,
];

const PAGES: readonly Page[] = [
  ...CHANGING_PAGES,
  avatarPage,
  mediumAvatarPage,
  allOperationsPage,
  apiPage,
];
const READ = ['GET', 'HEAD'];
const SUBMITTED = [...READ, 'POST'];

export function openPages(
  deployment: Deployment,
  pages: readonly Page[] = PAGES,
  onSignIn?: NoteSignIn,
): PageDispatch {
  const patterns = pages.map((page) => ({ page, pattern: patternOf(page) }));
  return (request) => {
    for (const { page, pattern } of patterns) {
      const match = pattern.exec(request.path);
      if (match === null) continue;
      const values = { ...match.groups };
      if (page.isFor?.(values) === false) continue;
      const allowed = page.answers?.methods ?? (page.submit === undefined ? READ : SUBMITTED);
      if (!allowed.includes(request.method)) return { allowed, isAllowed: false };
      const reply = () => answer(page, values, request);
      return {
        isAllowed: true,
        hasForm: page.submit !== undefined || isCounted(page, request),
        ...(page.failed === undefined ? {} : { failed: page.failed }),
        reply,
      };
    }
    return request.isBrowser && isNowhere(request) ? NOWHERE : undefined;
  };

  /** Tests for a host that names no realm, though the operator has set a domain for the names. */
  function isNowhere({ from }: PageRequest): boolean {
    const { realm, site } = deployment.at(from.host);
    return realm === undefined && hasDomain(site.settings);
  }

  function isCounted({ isCounted: counts }: Page, { from }: PageRequest): boolean {
    if (counts === undefined || counts === true) return counts === true;
    const { realm } = deployment.at(from.host);
    return realm?.isOpen() === true && counts({ realm, authorization: from.authorization });
  }

  async function answer(page: Page, segments: Record<string, string>, request: PageRequest) {
    const { realm, site } = deployment.at(request.from.host);
    if (realm === undefined) {
      return page.failed?.(404, 'There is no organization at this address.') ?? NO_REALM;
    }
    if (!realm.isOpen()) throw realm.closedBecause();
    realms.refuseDeactivated(realm.reader);
    const values = Object.fromEntries(
      Object.entries(segments).map(([name, segment]) => [name, decoded(segment)]),
    );
    const visit = { ...request.from, realm, site, values, query: request.query(), onSignIn };
    const isRead = READ.includes(request.method);
    if (page.answers !== undefined) {
      if (!isRead && realm.space.isShort()) throw errors.storageFull();
      const { method, text, ifMatch = '', form: fields } = request;
      return await page.answers.run({ ...visit, form: {}, method, text, ifMatch, fields });
    }
    if (page.submit === undefined || isRead) return await shownPage(page, { ...visit, form: {} });
    if (realm.space.isShort()) throw errors.storageFull();
    return page.submit({ ...visit, form: request.form() });
  }
}

function shownPage(page: Page, visit: PageVisit): Promise<PageReply> {
  if (page.show === undefined) throw new Error(`${page.path} shows nothing`);
  return page.show(visit);
}

/**
 * Compiles a path of words and parameters; one that ends in a slash is found without it as well.
 */
function patternOf({ path, takesText }: Page): RegExp {
  const parameter = takesText === true ? '[^/]+' : '[A-Za-z0-9]+';
  const pattern = path.replace(/\{(\w+)\}/g, `(?<$1>${parameter})`);
  return new RegExp(`^${pattern.replace(/\/$/, '/?')}$`);
}

const NO_REALM: HtmlReply = {
  status: 404,
  title: 'No such organization',
  main: html`<h1>No such organization</h1>
<p>There is no organization at this address. Check the address for a typing mistake.</p>`,
};

const NOWHERE: PageOutcome = {
  isAllowed: true,
  hasForm: false,
  reply: () => Promise.resolve(NO_REALM),
};
