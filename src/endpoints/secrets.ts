import type { Body, Endpoint } from './endpoint.ts';

/** Tests whether a reply of the endpoint with this number holds a secret. */
export type HoldsSecret = (index: number, body: Body) => boolean;

export const openSecrets =
  (endpoints: readonly Endpoint[]): HoldsSecret =>
  (index, body) => {
    const holds = endpoints[index]?.holdsSecret ?? false;
    return holds === true || (holds !== false && holds(body));
  };
