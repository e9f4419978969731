/** An attribute of SCIM that a client may write. */
export interface Attribute {
  readonly name: string;
  readonly kind: 'simple' | 'complex' | 'list';
  /** The parts of an object, or of the elements of a list, by their names. */
  readonly parts?: readonly string[];
}

/** The attributes of a kind of resource. Names compare without case (RFC 7643, section 2.1). */
export interface Shape {
  readonly urn: string;
  readonly attributes: readonly Attribute[];
  /** Attributes that a client may send, and that are not kept. */
  readonly ignored: readonly string[];
}

export const USER_URN = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const GROUP_URN = 'urn:ietf:params:scim:schemas:core:2.0:Group';

/** Attributes that the server alone writes (RFC 7643, section 3.1). */
export const READ_ONLY = ['id', 'meta', 'schemas', 'groups'] as const;

const simple = (name: string): Attribute => ({ name, kind: 'simple' });

/** The parts of `name` (RFC 7643, section 4.1.1). */
export const NAME_PARTS = [
  'formatted',
  'familyName',
  'givenName',
  'middleName',
  'honorificPrefix',
  'honorificSuffix',
] as const;

export const USER_SHAPE: Shape = {
  urn: USER_URN,
  attributes: [
    simple('externalId'),
    simple('userName'),
    simple('displayName'),
    simple('active'),
    { name: 'name', kind: 'complex', parts: NAME_PARTS },
    { name: 'emails', kind: 'list', parts: ['value', 'type', 'primary', 'display'] },
  ],
  // RFC 7643, section 4.1. A password is among them: people sign in by their provider.
  ignored: [
    'nickName',
    'profileUrl',
    'title',
    'userType',
    'preferredLanguage',
    'locale',
    'timezone',
    'password',
    'phoneNumbers',
    'ims',
    'photos',
    'addresses',
    'entitlements',
    'roles',
    'x509Certificates',
  ],
};

export const GROUP_SHAPE: Shape = {
  urn: GROUP_URN,
  attributes: [
    simple('externalId'),
    simple('displayName'),
    { name: 'members', kind: 'list', parts: ['value', 'type', 'display', '$ref'] },
  ],
  ignored: [],
};
