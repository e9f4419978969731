import { isResource, type Resource } from '../../domain/scim/match.ts';
import { filtered, noSuchResource, notThere, refusal } from '../../domain/scim/scim-errors.ts';
import { ApiError } from '../../domain/wire/errors.ts';
import * as tokens from '../../operations/scim/tokens.ts';
import { bulk } from '../scim/bulk.ts';
import { type Change, one, perform } from '../scim/changing.ts';
import { configuration, resourceTypes, schemas } from '../scim/documents.ts';
import { GROUPS, list, listOf, searchIn, USERS } from '../scim/lists.ts';
import { selectionIn } from '../scim/shown.ts';
import type { AnyRequest, Page, ScimReply } from './page.ts';

const ERROR = 'urn:ietf:params:scim:api:messages:2.0:Error';

/** The word that makes a search of a POST (RFC 7644, section 3.4.3). */
const SEARCH = '.search';

/** Answers clients of SCIM 2.0: the directories of organizations (RFC 7644). */
const scim = (path: string, methods: readonly string[]): Page => ({
  path,
  takesText: true,
  isCounted: ({ realm, authorization }) => !tokens.isRight(realm.reader, authorization),
  failed: (status, detail) => errorReply(status, detail),
  answers: {
    methods,
    async run(request) {
      try {
        if (!tokens.isRight(request.realm.reader, request.authorization)) {
          const wrong = errorReply(401, 'The token is missing or wrong.');
          return { ...wrong, isUnauthorized: true };
        }
        return await answer(request);
      } catch (error) {
        // The transport says how long to wait, and writes bugs to the log.
        const isOfScim = error instanceof ApiError && (error.status < 429 || error.status === 501);
        if (!isOfScim) throw error;
        return refusalReply(error);
      }
    },
  },
});

export const scimListPage = scim('/scim/v2/{kind}', ['GET', 'HEAD', 'POST']);

export const scimPage = scim('/scim/v2/{kind}/{id}', [
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
]);

/** Returns the answer to a request that is refused; throws what no client has caused. */
function refusalReply(error: unknown): ScimReply {
  if (!(error instanceof ApiError)) throw error;
  // A directory without a right is known nevertheless.
  const isForbidden = error.status === 401 || error.code === 'UNAUTHORIZED_PRINCIPAL';
  const status = isForbidden ? 403 : error.status;
  return errorReply(status, error.message, error.extra['scimType']);
}

function errorReply(status: number, detail: string, scimType?: unknown): ScimReply {
  const type =
    typeof scimType === 'string'
      ? { scimType }
      : status === 400
        ? { scimType: 'invalidValue' }
        : {};
  return { status, scim: { schemas: [ERROR], status: String(status), ...type, detail } };
}

const KINDS = { Users: [USERS], Groups: [GROUPS] } as const;

async function answer(request: AnyRequest): Promise<ScimReply> {
  const { kind = '', id } = request.values;
  if (kind === 'Me') throw notThere('The token is of no person.');
  if (kind === SEARCH && id === undefined) return await search(request, [USERS, GROUPS]);
  if (kind === 'Bulk' && id === undefined) {
    if (request.method !== 'POST') return errorReply(405, 'A bulk request is a POST.');
    return await bulk(request, bodyOf(request), refusalReply);
  }
  if (kind === 'Users' || kind === 'Groups') {
    if (id === SEARCH) return await search(request, KINDS[kind]);
    return await (id === undefined ? ofAll(request, kind) : ofOne(request, { kind, id }));
  }
  const document = documentOf(request);
  if (isRead(request)) return { status: 200, scim: document };
  return errorReply(405, 'This resource can only be read.');
}

const isRead = ({ method }: AnyRequest) => method === 'GET' || method === 'HEAD';

async function search(
  request: AnyRequest,
  kinds: Parameters<typeof list>[2]['kinds'],
): Promise<ScimReply> {
  if (request.method !== 'POST') return errorReply(405, 'A search is a POST.');
  const query = searchIn(bodyOf(request));
  return { status: 200, scim: await list(request.realm.reader, request.site, { kinds, query }) };
}

function documentOf({ values: { kind, id }, site, query }: AnyRequest): object {
  if (query['filter'] !== undefined) throw filtered();
  if (kind === 'ServiceProviderConfig' && id === undefined) return configuration(site);
  const documents = documentsOf(kind, site);
  if (id === undefined) return listOf(documents);
  const one = documents.find((document) => document['id'] === id);
  if (one === undefined) throw noSuchResource();
  return one;
}

function documentsOf(kind: string | undefined, site: AnyRequest['site']): Resource[] {
  if (kind === 'ResourceTypes') return resourceTypes(site);
  if (kind === 'Schemas') return schemas(site);
  throw noSuchResource();
}

async function ofAll(request: AnyRequest, kind: Change['kind']): Promise<ScimReply> {
  const { method, realm, site, query } = request;
  if (isRead(request)) {
    const scim = await list(realm.reader, site, { kinds: KINDS[kind], query });
    return { status: 200, scim };
  }
  if (method !== 'POST') return errorReply(405, 'Resources are made by POST.');
  return await perform(realm, site, { ...changeOf(request), method, kind, id: undefined });
}

async function ofOne(
  request: AnyRequest,
  { kind, id }: { readonly kind: Change['kind']; readonly id: string },
): Promise<ScimReply> {
  const { method, realm, site, query } = request;
  if (isRead(request)) {
    return one(realm.reader, site, { kind, id, selection: selectionIn(query) });
  }
  if (method !== 'PUT' && method !== 'PATCH' && method !== 'DELETE') {
    return errorReply(405, 'A resource is changed by PUT, PATCH and DELETE.');
  }
  return await perform(realm, site, { ...changeOf(request), method, kind, id });
}

const changeOf = (request: AnyRequest): Pick<Change, 'body' | 'ifMatch' | 'selection'> => ({
  body: request.method === 'DELETE' ? {} : bodyOf(request),
  ifMatch: request.ifMatch,
  selection: selectionIn(request.query),
});

function bodyOf({ text }: AnyRequest): Resource {
  try {
    const body: unknown = JSON.parse(text?.() ?? '');
    if (isResource(body)) return body;
  } catch {
    // The refusal below says it.
  }
  throw refusal('invalidSyntax', 'The body has to be a JSON object, as application/scim+json.');
}
