import { creationParams, creationRequest } from '../../src/endpoints/channels/creation-params.ts';
import type { Values } from '../../src/endpoints/endpoint.ts';
import { paramReader } from '../../src/endpoints/param-reader.ts';

const nothingAsked = paramReader(creationParams).read({}, {});

/** The request of a channel for which nothing special is asked. */
export const PUBLIC_CHANNEL = creationRequest(
  nothingAsked as Values<typeof creationParams>, // of these parameters, each by its schema
);
