import { jsonOf } from '../domain/wire/encoded-list.ts';
import { ApiError, type ErrorCode } from '../domain/wire/errors.ts';
import type { Answer, ApiRequest } from '../endpoints/dispatch/request.ts';
import type { Dispatch } from '../endpoints/dispatch.ts';
import { ENDPOINTS } from '../endpoints/index.ts';
import { openSecrets } from '../endpoints/secrets.ts';
import { successBody } from '../transport/answers/reply.ts';
import type { AskedRequest, Outcome } from './asked-request.ts';

const holdsSecret = openSecrets(ENDPOINTS);

/** Returns a request as it goes to the writer. The body goes along only where it is read again. */
export function askedOf(request: ApiRequest, { withBody }: { readonly withBody: boolean }) {
  const { page, trace, host, text, bytes, file, webhookHeaders } = request;
  const asked: { -readonly [Field in keyof AskedRequest]: AskedRequest[Field] } = {
    method: request.method,
    path: request.path,
    raw: request.raw,
    host,
    address: request.address(),
    authorization: request.authorization,
    userAgent: request.userAgent,
    idempotencyKey: request.idempotencyKey,
  };
  if (withBody) {
    const read = text?.();
    if (read !== undefined) asked.text = read;
    if (bytes !== undefined) asked.bytes = bytes;
    if (webhookHeaders !== undefined) asked.webhookHeaders = webhookHeaders;
    if (file !== undefined) asked.file = file();
  }
  if (page !== undefined) {
    const { fetchSite, origin, referer, isForwarded } = page;
    asked.page = { fetchSite, origin, referer, isForwarded };
  }
  if (trace) asked.trace = { requestId: trace.requestId, context: trace.context };
  return asked;
}

/** Runs a request of a gateway here, and tells the outcome once. */
export function answerAsked(
  asked: AskedRequest,
  {
    dispatch,
    noteBug,
    tell,
  }: {
    readonly dispatch: Dispatch;
    readonly noteBug: (error: unknown, request: ApiRequest) => string;
    readonly tell: (outcome: Outcome) => void;
  },
): void {
  let cookie = '';
  const setCookie = (header: string) => {
    cookie = header;
  };
  const { address, page, text, file, trace = null, ...rest } = asked;
  const request: ApiRequest = {
    ...rest,
    trace,
    address: () => address,
    ...(text === undefined ? {} : { text: () => text }),
    ...(file === undefined ? {} : { file: () => file }),
    ...(page === undefined ? {} : { page: { ...page, setCookie } }),
  };
  let endpoint = -1;
  dispatch(request, {
    isOf(index) {
      endpoint = index;
    },
    succeed(body, ignored) {
      const bytes = Buffer.from(`${jsonOf(successBody(body, ignored))}\n`);
      tell({ is: 'success', bytes, holdsSecret: holdsSecret(endpoint, body), cookie });
    },
    show: notHere,
    pass: notHere,
    fail: (error, failed) => tell(refusalOf(error, () => noteBug(error, failed))),
    options: (allowed) => tell({ is: 'options', allowed }),
    canPark: false,
    park: notHere,
    // The gateway forgets whose client has gone: it has its answer all the same.
    isGone: () => false,
    holdsBack: () => false,
    body: null,
  });
}

/** Returns the outcome of what was refused; anything but a refusal is a bug. */
export function refusalOf(error: unknown, noteBug: () => string): Outcome {
  if (!(error instanceof ApiError)) return { is: 'bug', requestId: noteBug() };
  const { code, message, status, extra } = error;
  return { is: 'refusal', code, message, status, extra };
}

function notHere(): never {
  throw new Error('gateways answer this themselves');
}

/** A bug that the writer met and logged. Nothing is logged of it again. */
export class BugElsewhere extends Error {
  readonly requestId: string;

  constructor(requestId: string) {
    super('the writer has logged a bug');
    this.requestId = requestId;
  }
}

/** Answers a client with what the writer has told. */
export function settle(outcome: Outcome, request: ApiRequest, answer: Answer): void {
  if (outcome.is === 'success') {
    if (outcome.cookie !== '') request.page?.setCookie(outcome.cookie);
    answer.pass(outcome);
  } else if (outcome.is === 'options') answer.options(outcome.allowed);
  else answer.fail(errorOf(outcome), request);
}

/** Returns the error that the writer has told. */
export function errorOf(outcome: Outcome): Error {
  if (outcome.is === 'bug') return new BugElsewhere(outcome.requestId);
  if (outcome.is !== 'refusal') return new Error(`the writer answers with ${outcome.is}`);
  const { code, message, status, extra } = outcome;
  // It is the code of a refusal of the same program.
  return new ApiError(code as ErrorCode, message, { status, extra });
}
