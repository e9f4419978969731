import * as errors from '../domain/wire/errors.ts';
import type { Endpoint } from './endpoint.ts';
import { type ParamReader, paramReader } from './param-reader.ts';

export interface Route {
  readonly endpoint: Endpoint;
  readonly reader: ParamReader;
  /** Its place among the endpoints that were given. */
  readonly index: number;
}

/** The endpoints of a path, and what its segments are. */
interface RouteNode {
  readonly segments: readonly string[];
  readonly byMethod: Map<string, Route>;
  /** The methods for the `Allow` header. */
  readonly allowed: string[];
}

export interface Match {
  readonly byMethod: ReadonlyMap<string, Route>;
  /** The methods for the `Allow` header. */
  readonly allowed: readonly string[];
  /** Path parameters, decoded. */
  readonly values: Readonly<Record<string, string>>;
}

/** Finds the endpoints of a path. */
export interface Routes {
  /** Throws if a parameter in the path is not valid UTF-8. */
  find(path: string): Match | undefined;
}

const NO_VALUES = {};

/**
 * Looks up paths without parameters, and compares the others segment by segment, fixed words before
 * parameters.
 */
export function openRoutes(endpoints: readonly Endpoint[]): Routes {
  const fixed = new Map<string, RouteNode>();
  const patterns = new Map<string, RouteNode[]>();
  for (const [index, endpoint] of endpoints.entries()) {
    const node = nodeOf(endpoint.path);
    const inPath = node.segments.filter((segment) => segment.startsWith('{')).map(nameIn);
    const route = { endpoint, reader: paramReader(endpoint.params, inPath), index };
    if (node.byMethod.has(endpoint.method)) {
      throw new Error(`${endpoint.method} ${endpoint.path} is declared twice`);
    }
    node.byMethod.set(endpoint.method, route);
    node.allowed.push(...(endpoint.method === 'GET' ? ['GET', 'HEAD'] : [endpoint.method]));
  }

  function nodeOf(path: string): RouteNode {
    const segments = path.split('/').slice(1);
    const isFixed = !path.includes('{');
    const [word = ''] = segments;
    if (word.startsWith('{')) throw new Error(`${path} begins with a parameter`);
    const alike = patterns.get(word) ?? [];
    const known = isFixed
      ? fixed.get(path)
      : alike.find((node) => node.segments.join('/') === segments.join('/'));
    if (known !== undefined) return known;
    const node: RouteNode = { segments, byMethod: new Map(), allowed: [] };
    if (isFixed) fixed.set(path, node);
    else patterns.set(word, [...alike, node]);
    return node;
  }

  return {
    find(path: string): Match | undefined {
      const node = fixed.get(path);
      if (node !== undefined) return match(node, NO_VALUES);
      const segments = path.split('/').slice(1);
      for (const pattern of patterns.get(segments[0] ?? '') ?? []) {
        const values = valuesOf(pattern.segments, segments);
        if (values !== undefined) return match(pattern, values);
      }
      return undefined;
    },
  };
}

const match = ({ byMethod, allowed }: RouteNode, values: Match['values']): Match => ({
  byMethod,
  values,
  allowed,
});

function valuesOf(pattern: readonly string[], given: readonly string[]) {
  const segments = pattern.at(-1)?.endsWith(REST) ? restJoined(given, pattern.length) : given;
  if (pattern.length !== segments.length) return undefined;
  const values: Record<string, string> = {};
  for (let index = 0; index < pattern.length; index++) {
    const expected = pattern[index] ?? '';
    const segment = segments[index] ?? '';
    if (expected.startsWith('{')) values[nameIn(expected)] = decoded(segment);
    else if (expected !== segment) return undefined;
  }
  return values;
}

/** Ends the name of a path parameter that takes the rest of the path. */
const REST = '...}';
const nameIn = (segment: string) => segment.slice(1, segment.endsWith(REST) ? -REST.length : -1);

/**
 * Returns the path as so many segments, the last of which contains the rest; an empty rest counts
 * as missing.
 */
function restJoined(segments: readonly string[], count: number): readonly string[] {
  const rest = segments.slice(count - 1).join('/');
  return rest === '' ? [] : [...segments.slice(0, count - 1), rest];
}

/** Decodes a segment of a path. */
export function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw errors.badRequest('The path is not valid UTF-8');
  }
}
