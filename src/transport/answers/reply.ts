import { ApiError } from '../../domain/wire/errors.ts';
import type { Faulty } from '../../endpoints/bug-reports.ts';
import type { Body } from '../../endpoints/endpoint.ts';
import type { Quota } from '../../endpoints/request-rate.ts';

/**
 * Returns the body of a success: the envelope, the fields, and the parameters that had no meaning
 * (specification, "Conventions" 2).
 */
export function successBody(body: Body, ignored: readonly string[]): Body {
  return {
    result: 'success',
    msg: '',
    ...body,
    ...(ignored.length > 0 ? { ignored_parameters_unsupported: ignored } : {}),
  };
}

export interface Failure {
  readonly status: number;
  readonly body: Body;
  /** True for a bug, which is logged, false for a refusal. */
  readonly isBug: boolean;
}

/** Writes a bug to the log; returns the id by which an operator finds it there. */
export type NoteBug = (error: unknown, request: Faulty) => string;

/**
 * Returns a refusal as the API gives it; any other error is a 500 with only the id of its log
 * entry.
 */
export function failure(error: unknown, noteBug: () => string): Failure {
  if (!(error instanceof ApiError) || !isSayable(error.extra)) {
    return {
      status: 500,
      body: { result: 'error', msg: 'Internal server error', request_id: noteBug() },
      isBug: true,
    };
  }
  const { status, code, message, extra } = error;
  // A 405 carries no code (reference/endpoints.md section 3).
  const named = code === 'METHOD_NOT_ALLOWED' ? {} : { code };
  const result = resultOf(status);
  return { status, body: { result, msg: message, ...named, ...extra }, isBug: false };
}

/** Returns the same as a sentence for people. */
export const sentenceOf = ({ body: { msg, request_id: id } }: Failure): string =>
  id === undefined ? String(msg) : `${msg}. To the operator this is request ${id}.`;

/**
 * Returns the `result` of the envelope. An event that is ignored on purpose is not the client's
 * fault, so its status is below 400, and yet nothing was done.
 */
const resultOf = (status: number) => (status < 400 ? 'success' : 'error');

/**
 * Tests that a refusal can be encoded: it may quote what the client sent, and lists can nest deeper
 * than the stack allows.
 */
function isSayable(extra: object): boolean {
  try {
    JSON.stringify(extra);
    return true;
  } catch {
    return false;
  }
}

/** Returns the headers of a refusal. */
export function headersOf(
  { status, body }: Failure,
  { isBrowser }: { readonly isBrowser: boolean },
): readonly (readonly [string, string])[] {
  if (status === 401 && body['code'] === 'UNAUTHORIZED') {
    return isBrowser ? [] : [['WWW-Authenticate', 'Basic realm="api"']];
  }
  if (status === 405) return [['Allow', (body['allowed_methods'] as string[]).join(', ')]];
  // Some clients only accept whole seconds (RFC 9110, 10.2.3); the body has fractions.
  if (status === 429 || body['code'] === 'DIRECTORY_AWAY')
    return [['Retry-After', String(Math.ceil(Number(body['retry-after'])))]];
  return [];
}

/**
 * Returns the rate-limit headers of every answer, if there is a limit (reference/endpoints.md
 * section 3).
 */
export const rateHeaders = ({ limit, remaining, resetAt }: Quota) =>
  [
    ['X-RateLimit-Limit', String(limit)],
    ['X-RateLimit-Remaining', String(remaining)],
    ['X-RateLimit-Reset', String(resetAt)],
  ] as const;

const REASONS: Readonly<Record<number, string>> = {
  200: 'OK',
  201: 'Created',
  204: 'No Content',
  206: 'Partial Content',
  302: 'Found',
  303: 'See Other',
  304: 'Not Modified',
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  409: 'Conflict',
  410: 'Gone',
  411: 'Length Required',
  412: 'Precondition Failed',
  413: 'Payload Too Large',
  415: 'Unsupported Media Type',
  416: 'Range Not Satisfiable',
  423: 'Locked',
  426: 'Upgrade Required',
  429: 'Too Many Requests',
  431: 'Request Header Fields Too Large',
  460: 'Checksum Mismatch',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
};

export const statusLine = (status: number) => `${status} ${REASONS[status] ?? 'Error'}`;
