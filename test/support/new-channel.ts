import { creationParams, creationRequest } from '../../src/endpoints/channels/creation-params.ts';
import type { Values } from '../../src/endpoints/endpoint.ts';
import { paramReader } from '../../src/endpoints/params.ts';

const nothingAsked = paramReader(creationParams).read({}, {});

/** What a channel is made as where nothing else is asked for. */
export const PUBLIC_CHANNEL = creationRequest(
  nothingAsked as Values<typeof creationParams>, // of these parameters, each by its schema
);
