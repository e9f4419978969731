import {
  SCIM_BODY_BYTES_MAX,
  SCIM_BULK_OPERATIONS_MAX,
  SCIM_PAGE_MAX,
} from '../../domain/limits/accounts.ts';
import type { Resource } from '../../domain/scim/match.ts';
import { GROUP_URN, USER_URN } from '../../domain/scim/shapes.ts';
import type { Site } from '../../operations/access/caller.ts';

const SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:Schema';
const RESOURCE_TYPE = 'urn:ietf:params:scim:schemas:core:2.0:ResourceType';
const CONFIGURATION = 'urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig';

/** Tells clients of SCIM what the server can do (RFC 7643, section 5). */
export const configuration = ({ url }: Pick<Site, 'url'>): Resource => ({
  schemas: [CONFIGURATION],
  patch: { supported: true },
  bulk: {
    supported: true,
    maxOperations: SCIM_BULK_OPERATIONS_MAX,
    maxPayloadSize: SCIM_BODY_BYTES_MAX,
  },
  filter: { supported: true, maxResults: SCIM_PAGE_MAX },
  changePassword: { supported: false },
  sort: { supported: false },
  etag: { supported: true },
  // RFC 9865, section 4.
  pagination: {
    cursor: true,
    index: true,
    defaultPaginationMethod: 'index',
    defaultPageSize: SCIM_PAGE_MAX,
    maxPageSize: SCIM_PAGE_MAX,
  },
  authenticationSchemes: [
    {
      type: 'oauthbearertoken',
      name: 'Bearer token',
      description: 'The token that `confab scim token` prints.',
      specUri: 'https://www.rfc-editor.org/rfc/rfc6750',
      primary: true,
    },
  ],
  meta: {
    resourceType: 'ServiceProviderConfig',
    location: `${url}/scim/v2/ServiceProviderConfig`,
  },
});

/** The kinds of resources (RFC 7643, section 6). */
export const resourceTypes = ({ url }: Pick<Site, 'url'>): Resource[] =>
  (['User', 'Group'] as const).map((name) => ({
    schemas: [RESOURCE_TYPE],
    id: name,
    name,
    endpoint: `/${name}s`,
    description: name === 'User' ? 'An account of a person' : 'A user group',
    schema: name === 'User' ? USER_URN : GROUP_URN,
    meta: { resourceType: 'ResourceType', location: `${url}/scim/v2/ResourceTypes/${name}` },
  }));

interface Described {
  readonly type?: 'boolean' | 'complex' | 'reference';
  readonly required?: true;
  readonly isMany?: true;
  readonly caseExact?: true;
  readonly mutability?: 'readOnly' | 'immutable';
  readonly uniqueness?: 'server';
  readonly canonicalValues?: readonly string[];
  readonly referenceTypes?: readonly string[];
  readonly parts?: readonly Resource[];
}

const described = (name: string, description: string, given: Described = {}): Resource => ({
  name,
  type: given.type ?? 'string',
  multiValued: given.isMany === true,
  description,
  required: given.required === true,
  ...(given.type === undefined || given.type === 'reference'
    ? { caseExact: given.caseExact === true }
    : {}),
  mutability: given.mutability ?? 'readWrite',
  returned: 'default',
  ...(given.type === 'boolean' || given.type === 'complex'
    ? {}
    : { uniqueness: given.uniqueness ?? 'none' }),
  ...(given.canonicalValues === undefined ? {} : { canonicalValues: given.canonicalValues }),
  ...(given.referenceTypes === undefined ? {} : { referenceTypes: given.referenceTypes }),
  ...(given.parts === undefined ? {} : { subAttributes: given.parts }),
});

const USER_ATTRIBUTES = [
  described('userName', 'The name of the account in the directory', {
    required: true,
    uniqueness: 'server',
  }),
  described('displayName', 'The full name that people see'),
  described('name', 'The full name in parts, which people see if there is no displayName', {
    type: 'complex',
    parts: [
      described('formatted', 'The whole name'),
      described('familyName', 'The family name'),
      described('givenName', 'The first name'),
      described('middleName', 'Names between the two'),
      described('honorificPrefix', 'A title before the name'),
      described('honorificSuffix', 'A title after the name'),
    ],
  }),
  described('active', 'False: the account is deactivated', { type: 'boolean', required: true }),
  described('emails', "Mail addresses; that for work, or else the primary one, is the account's", {
    type: 'complex',
    isMany: true,
    required: true,
    parts: [
      described('value', 'The address', { required: true }),
      described('display', 'A name of it'),
      described('type', 'A word for it', { canonicalValues: ['work', 'home', 'other'] }),
      described('primary', 'True for one address at most', { type: 'boolean' }),
    ],
  }),
];

const GROUP_ATTRIBUTES = [
  described('displayName', 'The name of the group', { required: true, uniqueness: 'server' }),
  described('members', 'The accounts that are in it themselves', {
    type: 'complex',
    isMany: true,
    parts: [
      described('value', 'The id of a User', { mutability: 'immutable' }),
      described('type', 'Always User', { mutability: 'immutable', canonicalValues: ['User'] }),
      described('$ref', 'The address of the User', {
        type: 'reference',
        mutability: 'immutable',
        referenceTypes: ['User'],
      }),
    ],
  }),
];

/** The attributes of each kind of resource (RFC 7643, section 7). */
export const schemas = ({ url }: Pick<Site, 'url'>): Resource[] =>
  (
    [
      [USER_URN, 'User', 'An account of a person', USER_ATTRIBUTES],
      [GROUP_URN, 'Group', 'A user group', GROUP_ATTRIBUTES],
    ] as const
  ).map(([id, name, description, attributes]) => ({
    schemas: [SCHEMA],
    id,
    name,
    description,
    attributes,
    meta: { resourceType: 'Schema', location: `${url}/scim/v2/Schemas/${id}` },
  }));
