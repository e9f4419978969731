import { hash } from 'node:crypto';
import { isResource, type Resource } from './match.ts';
import { changedMeanwhile } from './scim-errors.ts';

/** Returns a resource with its version, a weak entity tag of all that it has (RFC 7644, 3.14). */
export function withVersion(resource: Resource): Resource {
  const digest = hash('sha256', JSON.stringify(resource), 'base64url').slice(0, 22);
  const meta = isResource(resource['meta']) ? resource['meta'] : {};
  return { ...resource, meta: { ...meta, version: `W/"${digest}"` } };
}

/** Returns the version of a resource; undefined if it was made without one. */
export function versionOf({ meta }: Resource): string | undefined {
  const version = isResource(meta) ? meta['version'] : undefined;
  return typeof version === 'string' ? version : undefined;
}

/** Refuses a change of a resource that has another version than the client says. */
export function refuseOtherVersion(ifMatch: string | undefined, current: () => Resource) {
  if (ifMatch === undefined || ifMatch.trim() === '' || ifMatch.trim() === '*') return;
  const opaque = withoutWeakness(versionOf(withVersion(current())) ?? '');
  if (!ifMatch.split(',').some((one) => withoutWeakness(one.trim()) === opaque)) {
    throw changedMeanwhile();
  }
}

const withoutWeakness = (tag: string) => (tag.startsWith('W/') ? tag.slice(2) : tag);
