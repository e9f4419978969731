import * as errors from '../domain/wire/errors.ts';
import type { Deployment } from './dispatch/deployment.ts';
import type { Answer, ApiRequest } from './dispatch/request.ts';
import { Serving } from './dispatch/serving.ts';
import type { Endpoint } from './endpoint.ts';
import { openRoutes, type Routes } from './routes.ts';
import { openTurns, type Turns } from './turns.ts';

export type Dispatch = (request: ApiRequest, answer: Answer) => void;

/**
 * Finds the endpoint, then the caller, checks the permission, parses the parameters, and answers in
 * every case.
 */
export function openDispatch(
  deployment: Deployment,
  routes: Routes,
  turns: Turns = openTurns(),
): Dispatch {
  return (request, answer) => {
    try {
      const matched = routes.find(request.path);
      if (matched === undefined) throw errors.notFound(request.path);
      const method = request.method === 'HEAD' ? 'GET' : overridden(request);
      if (method === 'OPTIONS') return answer.options(matched.allowed);
      const route = matched.byMethod.get(method);
      if (route === undefined) throw errors.methodNotAllowed(matched.allowed);
      answer.isOf(route.index);
      const at = deployment.at(request.host);
      new Serving({ deployment, turns, request, answer, route, path: matched.values, at }).start();
    } catch (error) {
      answer.fail(error, request);
    }
  };
}

/** Tests whether the body of such a request is passed on as it arrives. */
export function openStreaming(endpoints: readonly Endpoint[]) {
  const routes = openRoutes(endpoints.filter(({ streams }) => streams));
  return ({ method, path }: Pick<ApiRequest, 'method' | 'path'>): boolean => {
    try {
      return routes.find(path)?.byMethod.has(method) === true;
    } catch {
      // The path is malformed, and the dispatch refuses it.
      return false;
    }
  };
}

/**
 * Returns the method; a form field `method` on a POST replaces it (reference/endpoints.md section
 * 0).
 */
const overridden = ({ method, raw }: ApiRequest) =>
  method === 'POST' ? (raw['method']?.toUpperCase() ?? 'POST') : method;
