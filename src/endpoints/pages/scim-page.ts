import { isResource, memberOf, type Resource } from '../../domain/scim/match.ts';
import { noSuchResource, refusal } from '../../domain/scim/scim-errors.ts';
import { ApiError } from '../../domain/wire/errors.ts';
import * as groups from '../../operations/scim/groups.ts';
import * as tokens from '../../operations/scim/tokens.ts';
import * as users from '../../operations/scim/users.ts';
import { configuration, resourceTypes, schemas } from '../scim/documents.ts';
import { GROUPS, list, listOf, shown, shownBy, USERS } from '../scim/lists.ts';
import type { AnyRequest, Page, ScimReply } from './page.ts';

const ERROR = 'urn:ietf:params:scim:api:messages:2.0:Error';

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
        if (!(error instanceof ApiError) || error.status >= 429) throw error;
        // A directory without a right is known nevertheless.
        const isForbidden = error.status === 401 || error.code === 'UNAUTHORIZED_PRINCIPAL';
        const status = isForbidden ? 403 : error.status;
        return errorReply(status, error.message, error.extra['scimType']);
      }
    },
  },
});

export const scimListPage = scim('/scim/v2/{kind}', ['GET', 'HEAD', 'POST']);

export const scimPage = scim('/scim/v2/{kind}/{id}', ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE']);

function errorReply(status: number, detail: string, scimType?: unknown): ScimReply {
  const type =
    typeof scimType === 'string'
      ? { scimType }
      : status === 400
        ? { scimType: 'invalidValue' }
        : {};
  return { status, scim: { schemas: [ERROR], status: String(status), ...type, detail } };
}

async function answer(request: AnyRequest): Promise<ScimReply> {
  const { kind = '' } = request.values;
  if (kind === 'Users' || kind === 'Groups') {
    return await (request.values['id'] === undefined ? ofAll(request) : ofOne(request));
  }
  const document = documentOf(request);
  if (request.method === 'GET' || request.method === 'HEAD') return { status: 200, scim: document };
  return errorReply(405, 'This resource can only be read.');
}

function documentOf({ values: { kind, id }, site }: AnyRequest): object {
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

async function ofAll(request: AnyRequest): Promise<ScimReply> {
  const { method, realm, site, query } = request;
  const isOfUsers = request.values['kind'] === 'Users';
  if (method !== 'POST') {
    return {
      status: 200,
      scim: await list(realm.reader, site, isOfUsers ? USERS : GROUPS, query),
    };
  }
  const body = bodyOf(request);
  const made = isOfUsers
    ? await realm.perform((tx) => userReply(tx, request, users.create(tx, site, body)))
    : await realm.perform((tx) => groupReply(tx, request, groups.create(tx, site, body)));
  return { ...made, status: 201, location: locationOf(made) };
}

async function ofOne(request: AnyRequest): Promise<ScimReply> {
  const { method, realm, site } = request;
  const { kind, id = '' } = request.values;
  const isOfUsers = kind === 'Users';
  if (method === 'DELETE') {
    await realm.perform((tx) => (isOfUsers ? users : groups).remove(tx, site, id));
    return { status: 204, scim: null };
  }
  if (method === 'PUT' || method === 'PATCH') {
    const body = bodyOf(request);
    const isPut = method === 'PUT';
    return await realm.perform((tx) => {
      if (!isOfUsers) {
        const write = isPut ? groups.replace : groups.patch;
        return groupReply(tx, request, write(tx, site, id, body));
      }
      const write = isPut ? users.replace : users.patch;
      return userReply(tx, request, write(tx, site, id, body));
    });
  }
  return isOfUsers
    ? userReply(realm.reader, request, users.found(realm.reader, id))
    : groupReply(realm.reader, request, groups.found(realm.reader, id));
}

function userReply(
  reads: Parameters<typeof users.resourceOf>[0],
  { site, query }: AnyRequest,
  user: Parameters<typeof users.resourceOf>[2],
): ScimReply {
  return { status: 200, scim: shown(users.resourceOf(reads, site, user), shownBy(query)) };
}

function groupReply(
  reads: Parameters<typeof groups.resourceOf>[0],
  { site, query }: AnyRequest,
  group: Parameters<typeof groups.resourceOf>[2]['group'],
): ScimReply {
  const isShown = shownBy(query);
  const hasMembers = isShown('members');
  const resource = groups.resourceOf(reads, site, { group, hasMembers });
  return { status: 200, scim: shown(resource, isShown) };
}

const locationOf = ({ scim: resource }: ScimReply): string => {
  const meta = resource === null ? undefined : memberOf(resource as Resource, 'meta');
  return isResource(meta) ? String(meta['location']) : '';
};

function bodyOf({ text }: AnyRequest): Resource {
  try {
    const body: unknown = JSON.parse(text?.() ?? '');
    if (isResource(body)) return body;
  } catch {
    // The refusal below says it.
  }
  throw refusal('invalidSyntax', 'The body has to be a JSON object, as application/scim+json.');
}
