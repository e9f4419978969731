import { ApiError } from '../../domain/wire/errors.ts';
import type { Faulty } from '../../endpoints/bug-reports.ts';
import type { HttpReply } from '../answers/http-reply.ts';
import { type Failure, failure, headersOf, statusLine } from '../answers/reply.ts';
import { idHeader } from '../answers/writing.ts';
import type { HttpExchange } from '../exchange.ts';
import type { Head } from '../request-head.ts';
import type { HttpInput } from './http-input.ts';

interface Failed {
  readonly request: Faulty;
  readonly input: HttpInput;
  readonly closesConnection?: boolean;
  readonly isHead?: boolean;
  /** Headers besides those of the refusal itself. */
  readonly headers?: HttpReply['headers'];
}

/** Describes a request for the log if it does not reach an endpoint. */
export const faultyOf = ({ method, url: path, headers }: Head): Faulty => ({
  method,
  path,
  host: headers.host,
  authorization: headers.authorization,
});

/** Answers with an error: a refusal says what it is, a bug is logged. */
export function fail(
  exchange: HttpExchange,
  error: unknown,
  { request, input, headers = [], ...how }: Failed,
) {
  const failed = failure(error, () => input.onBug(error, { ...request, trace: exchange.trace }));
  input.record.refuse(error instanceof ApiError && !failed.isBug ? error.code : null);
  exchange.end({
    status: statusLine(failed.status),
    headers: [...headersOf(failed, exchange), ...headers, ...bugHeaders(failed, exchange)],
    body: `${JSON.stringify(failed.body)}\n`,
    ...how,
  });
}

/** Names the id of a bug's line in the log, where the answer does not name that of its request. */
export function bugHeaders({ isBug, body }: Failure, { trace }: HttpExchange) {
  return isBug && trace === null ? [idHeader({ requestId: String(body['request_id']) })] : [];
}
