import * as errors from '../../domain/wire/errors.ts';
import { type Endpoint, endpoint, type Method, type Params } from '../endpoint.ts';
import { boolean, text } from '../params.ts';
import { anyUser } from '../permissions.ts';

interface Provider {
  readonly name: string;
  readonly method: Method;
  readonly path: string;
  readonly params: Params;
  /** Clients show it to the person who wanted to call. */
  readonly refusal: string;
}

/**
 * Services whose calls need a server with an account there. This one has none, and clients that ask
 * anyway get the refusal that they know (decision 0140). Calls over Jitsi need no endpoint: clients
 * make up the address.
 */
const PROVIDERS: readonly Provider[] = [
  {
    name: 'BigBlueButton',
    method: 'GET',
    path: '/calls/bigbluebutton/create',
    params: { meeting_name: text, voice_only: boolean.default(false) },
    refusal: 'BigBlueButton is not configured.',
  },
  {
    name: 'Zoom',
    method: 'POST',
    path: '/calls/zoom/create',
    params: { is_video_call: boolean.default(true) },
    refusal: 'Zoom credentials have not been configured',
  },
  {
    name: 'Webex',
    method: 'POST',
    path: '/calls/webex/create',
    params: {},
    refusal: 'Webex credentials have not been configured',
  },
  {
    name: 'Nextcloud Talk',
    method: 'POST',
    path: '/calls/nextcloud_talk/create',
    params: { room_name: text },
    refusal: 'Nextcloud Talk is not configured.',
  },
  {
    name: 'Constructor Groups',
    method: 'POST',
    path: '/calls/constructorgroups/create',
    params: {},
    refusal: 'Constructor Groups is not configured.',
  },
];

export const createCalls: readonly Endpoint[] = PROVIDERS.map(
  ({ name, method, path, params, refusal }) =>
    endpoint({
      summary: `Refused: this server makes no calls over ${name}`,
      method,
      path,
      allow: anyUser,
      params,
      refuses: ['BAD_REQUEST'],
      read() {
        throw errors.badRequest(refusal);
      },
    }),
);
