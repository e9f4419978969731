import { GATEWAY_ASKS_MAX } from '../../domain/limits/requests.ts';
import type { RequestHost } from '../../domain/request-host.ts';
import { serverStopping } from '../../domain/wire/errors.ts';
import { writeRefusal } from '../../gateways/relay.ts';
import type { PassedRequest, PassedSocket, Passing } from '../../transport/passing.ts';
import type { HolderLinks } from './holder-links.ts';
import { passRequest } from './pass-request.ts';
import { passSocket } from './pass-socket.ts';
import { wasPassed } from './passed-headers.ts';

interface PassingInput {
  readonly links: HolderLinks;
  readonly secret: string;
  /** True if clients of this node speak TLS. */
  readonly isTls: boolean;
  /** Tells whether the node has whole copies of all shards. */
  readonly hasAll: () => boolean;
  /** Returns the shard of the realm that a host means, if this node has no whole copy of it. */
  readonly shardElsewhere: (host: RequestHost) => number | undefined;
}

/** Passes on what this node has no copy of. */
export function openPassing(input: PassingInput): Passing {
  const { links, shardElsewhere } = input;

  /** Returns the shard to ask about; undefined if the request is refused. */
  const shardOf = (request: PassedRequest) =>
    // The node that has passed it on thinks that the copy is here: soon it will know better.
    wasPassed(request) || links.count() >= GATEWAY_ASKS_MAX
      ? undefined
      : shardElsewhere(request.head.headers.host);

  return {
    isNeeded: () => !input.hasAll(),
    isElsewhere: (host) => shardElsewhere(host) !== undefined,
    request(res, request) {
      const shard = shardOf(request);
      if (shard !== undefined) return passRequest(res, request, { input, shard });
      // A response without this is never freed.
      res.onAborted(() => undefined);
      writeRefusal(res, serverStopping());
    },
    socket(request, protocol) {
      const shard = shardOf(request);
      return shard === undefined ? REFUSED : passSocket({ ...input, shard, request, protocol });
    },
  };
}

const REFUSED: PassedSocket = {
  begin: (ws) => void ws.end(1001, JSON.stringify({ retry_after_ms: 1_000 })),
  receive: () => undefined,
  drained: () => undefined,
  gone: () => undefined,
};
