import { SERVICE_VERSION } from '../../domain/version.ts';
import { counter, type Declaration, gauge, labelled, PER_MS, type Series } from '../declaration.ts';
import * as labels from '../labels.ts';
import { answersOf, RESULTS } from './answers.ts';

const { CODES, GROUPS } = labels;

/** Requests by endpoint and code. Only those that came are told, as there are a thousand pairs. */
const requests: Declaration = {
  name: 'confab_http_requests_total',
  help: 'Answers to requests, by the operationId of the endpoint and the class of the status.',
  type: 'counter',
  row: 'requests',
  labels: { endpoint: labels.OUTSIDE_ENDPOINTS, code: CODES },
  factor: 1,
  read({ recorders: { http } }) {
    const series: Series[] = [];
    for (let index = 0; index < http.answers.length; index++) {
      const value = http.answers[index] ?? 0;
      if (value === 0) continue;
      series.push({ labels: http.labelsOf(index), value });
    }
    return series;
  },
};

const TIMED_GROUPS = GROUPS.filter((group) => group !== 'poll').map((group) => ({ group }));

const durations: Declaration = {
  name: 'confab_http_request_duration_seconds',
  help: 'Time from the head of a request to its answer, without polls, which wait for events.',
  type: 'histogram',
  row: 'requests',
  labels: { group: TIMED_GROUPS.map(({ group }) => group) },
  factor: PER_MS,
  read: ({ recorders: { http } }) =>
    TIMED_GROUPS.map((labels) => ({ labels, value: http.groups[labels.group] })),
};

const LOG_INS = ['postFetchApiKey', 'postDevFetchApiKey', 'postJwtFetchApiKey'];

export const REQUESTS: readonly Declaration[] = [
  requests,
  durations,
  gauge(
    {
      name: 'confab_http_requests_in_flight',
      help: 'Requests that have no answer yet, without parked polls.',
      row: 'requests',
    },
    ({ recorders }) => recorders.http.inFlight,
  ),
  counter(
    {
      name: 'confab_http_received_bytes_total',
      help: 'Bytes of bodies of requests.',
      row: 'requests',
    },
    ({ recorders }) => recorders.http.receivedBytes,
  ),
  counter(
    {
      name: 'confab_http_sent_bytes_total',
      help: 'Bytes of bodies of answers; of one that is a text, its characters.',
      row: 'requests',
    },
    ({ recorders }) => recorders.http.sentBytes,
  ),
  labelled(
    'counter',
    {
      name: 'confab_http_compressed_before_bytes_total',
      help: 'Bytes of bodies of compressed answers before that, by their coding.',
      row: 'requests',
    },
    ['coding', labels.CODINGS],
    ({ recorders }) => recorders.http.compressedBefore,
  ),
  labelled(
    'counter',
    {
      name: 'confab_http_compressed_after_bytes_total',
      help: 'Bytes of bodies of compressed answers as they were sent, by their coding.',
      row: 'requests',
    },
    ['coding', labels.CODINGS],
    ({ recorders }) => recorders.http.compressedAfter,
  ),
  counter(
    {
      name: 'confab_http_not_compressed_total',
      help: 'Answers that were sent as they are, since too many were being compressed.',
      row: 'requests',
    },
    ({ recorders }) => recorders.http.notCompressed,
  ),
  labelled(
    'counter',
    {
      name: 'confab_http_refused_total',
      help: 'Refused requests, by the code that the client got.',
      row: 'requests',
    },
    ['reason', labels.REASONS],
    ({ recorders }) => recorders.http.refused,
  ),
  labelled(
    'counter',
    {
      name: 'confab_rate_limited_total',
      help: 'Requests over a rate limit, by its class.',
      row: 'requests',
    },
    ['kind', labels.RATE_KINDS],
    ({ recorders }) => recorders.limits,
  ),
  labelled(
    'counter',
    { name: 'confab_logins_total', help: 'Log-ins, by their result.', row: 'requests' },
    ['result', RESULTS],
    ({ recorders }) => answersOf(recorders, LOG_INS),
  ),
  labelled(
    'counter',
    {
      name: 'confab_provider_sign_ins_total',
      help: 'Sign-ins and log-outs by providers of OpenID Connect, by their outcome.',
      row: 'requests',
    },
    ['outcome', labels.SIGN_IN_OUTCOMES],
    ({ recorders }) => recorders.signIns,
  ),
  labelled(
    'counter',
    {
      name: 'confab_credentials_refused_total',
      help: 'Refused credentials of requests and sockets, by the code that the client got.',
      row: 'requests',
    },
    ['reason', labels.CREDENTIAL_CODES],
    ({ recorders: { http, sockets } }) =>
      Object.fromEntries(
        labels.CREDENTIAL_CODES.map((code) => [
          code,
          (http.refused[code] ?? 0) + sockets.credentials[code],
        ]),
      ),
  ),
  counter(
    {
      name: 'confab_second_steps_locked_total',
      help: 'Accounts whose passwords count no more, after too many wrong codes.',
      row: 'requests',
    },
    ({ recorders }) => recorders.realms.secondStepsLocked,
  ),
  gauge(
    {
      name: 'confab_password_hashes_waiting',
      help: 'Passwords that wait for their turn to be hashed.',
      row: 'requests',
    },
    ({ state }) => state.passwordHashesWaiting,
  ),
];

const VERSION = { version: SERVICE_VERSION, node: process.version };

export const SERVER: readonly Declaration[] = [
  {
    name: 'confab_build_info',
    help: 'The versions of the server and of Node; the value is always 1.',
    type: 'gauge',
    row: 'requests',
    labels: { version: [SERVICE_VERSION], node: [process.version] },
    factor: 1,
    read: () => [{ labels: VERSION, value: 1 }],
  },
  gauge(
    {
      name: 'confab_ready',
      help: '1 while the server answers 200 at /readyz, else 0.',
      row: 'requests',
    },
    ({ state }) => (state.isReady ? 1 : 0),
  ),
];
