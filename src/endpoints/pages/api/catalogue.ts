import type { OpenApiDocument, Operation } from '../../documents/openapi-shapes.ts';

/** An operation of the API, as the pages list it. */
export interface Entry {
  /** The last part of the address of its page. */
  readonly id: string;
  readonly method: string;
  /** The path below `/api/v1`. */
  readonly path: string;
  readonly operation: Operation;
}

/** Operations of one subject. */
export interface Group {
  readonly name: string;
  /** The anchor of the group on the page of all operations. */
  readonly anchor: string;
  readonly entries: readonly Entry[];
}

/** Returns the operations of a document by subject, in the order in which it has them. */
export function groupsOf({ paths }: OpenApiDocument): readonly Group[] {
  const groups = new Map<string, Entry[]>();
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const tag = operation.tags[0] ?? '';
      const entries = groups.get(tag) ?? [];
      groups.set(tag, entries);
      entries.push({ id: operation.operationId, method: method.toUpperCase(), path, operation });
    }
  }
  return [...groups].map(([tag, entries]) => ({
    name: `${tag.charAt(0).toUpperCase()}${tag.slice(1)}`,
    anchor: tag.replaceAll(' ', '-'),
    entries,
  }));
}

/** Tests for operations that take away what nothing gives back: a person is asked before. */
export const isDestructive = ({ method, path }: Pick<Entry, 'method' | 'path'>): boolean =>
  method === 'DELETE' || /delete|deactivate|regenerate/.test(path);
