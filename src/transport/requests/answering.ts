import { methodNotAllowed, notFound } from '../../domain/wire/errors.ts';
import type { ApiRequest } from '../../endpoints/dispatch/request.ts';
import type { IncomingBody, SendingPage } from '../../endpoints/endpoint.ts';
import { TUS_HEADERS } from '../../endpoints/files/resumable-uploads.ts';
import { isUploadedFile } from '../../endpoints/files/serve-files.ts';
import { isExternalContent } from '../../endpoints/pages/external-content.ts';
import { EXTERNAL_CONTENT, FILE, PAGE, RESUMABLE_UPLOAD } from '../../metrics/recorders.ts';
import type { HttpReply } from '../answers/http-reply.ts';
import { failure, headersOf, sentenceOf, statusLine } from '../answers/reply.ts';
import { fileReader, rawParameters, textReader } from '../body.ts';
import type { HttpExchange } from '../exchange.ts';
import { sendContent } from '../external-content.ts';
import { fileAt } from '../files.ts';
import { failurePage, pageReply } from '../pages.ts';
import { type Head, type Headers, hasBody } from '../request-head.ts';
import { sendFile } from '../uploaded-files.ts';
import { API_PREFIX, isOfApi } from './api.ts';
import { count } from './counting.ts';
import { bugHeaders, fail, faultyOf } from './failing.ts';
import { HttpAnswer, WITHOUT_BODY } from './http-answer.ts';
import type { HttpInput } from './http-input.ts';

/** The body of a request, read or still arriving. */
interface Came {
  readonly body: Buffer | null;
  readonly incoming?: IncomingBody;
}

/** Answers a request, whether it is one of the API, of a file or of a page. */
export function answerRequest(
  exchange: HttpExchange,
  head: Head,
  { body, incoming }: Came,
  input: HttpInput,
) {
  const { method, url, query, headers } = head;
  try {
    if (!isOfApi(head)) {
      const file = fileAt(url, headers.ifNoneMatch) ?? input.web?.file(url, headers);
      exchange.endpoint = numberOutside(url, file !== undefined);
      if (file !== undefined) return answerFile(exchange, head, { file, input });
      if (isExternalContent(url)) return answerContent(exchange, head, input);
      if (isUploadedFile(url)) return answerUploaded(exchange, head, input);
      return answerPage(exchange, head, body, input);
    }
    const answer = new HttpAnswer(exchange, input, {
      isHead: method === 'HEAD',
      body: incoming ?? null,
      reader: headers.authorization,
    });
    const request: ApiRequest = {
      method,
      path: url.slice(API_PREFIX.length),
      raw: rawParameters(query, body, headers.contentType),
      host: headers.host,
      address: () => exchange.address(),
      authorization: headers.authorization,
      userAgent: headers.userAgent,
      idempotencyKey: headers.idempotencyKey,
      text: body === null ? undefined : textReader(body, headers.contentType),
      bytes: body ?? undefined,
      file: body === null ? undefined : fileReader(body, headers.contentType),
      webhookHeaders: headers.webhook,
      page: headers.isBrowser ? pageOf(headers, answer) : undefined,
      trace: exchange.trace,
    };
    input.dispatch(request, answer);
  } catch (error) {
    fail(exchange, error, { request: faultyOf(head), input });
  }
}

/** Returns what the browser says of the page that has sent a request. */
const pageOf = (
  { fetchSite, origin, referer, isForwarded }: Headers,
  answer: { cookie: string },
): SendingPage => ({
  ...{ fetchSite, origin, referer, isForwarded },
  setCookie(header) {
    answer.cookie = header;
  },
});

function numberOutside(url: string, isFile: boolean): number {
  if (isExternalContent(url)) return EXTERNAL_CONTENT;
  return isFile || isUploadedFile(url) ? FILE : PAGE;
}

function answerFile(
  exchange: HttpExchange,
  { method }: Head,
  { file, input }: { file: HttpReply; input: HttpInput },
) {
  if (isRead(exchange, method, input)) exchange.end({ ...file, isHead: method === 'HEAD' });
}

/** Answers with content of another site. */
function answerContent(exchange: HttpExchange, head: Head, input: HttpInput) {
  const { method, url: path, headers } = head;
  if (!isRead(exchange, method, input)) return;
  const isHead = method === 'HEAD';
  const gone = new AbortController();
  exchange.onGone({ gone: () => gone.abort() });
  input.content({ path, host: headers.host, range: headers.range, signal: gone.signal }).then(
    (content) => sendContent(exchange, content, isHead),
    (error) => fail(exchange, error, { request: faultyOf(head), input, isHead }),
  );
}

/** Answers with an uploaded file. */
function answerUploaded(exchange: HttpExchange, head: Head, input: HttpInput) {
  const { method, url: path, query, headers } = head;
  if (!isRead(exchange, method, input)) return;
  const isHead = method === 'HEAD';
  const { host, authorization, range, ifRange, ifNoneMatch } = headers;
  const { api_key: apiKey } = rawParameters(query, null, '');
  input
    .files({ path, host, authorization, apiKey })
    .then((file) => sendFile(exchange, file, { range, ifRange, ifNoneMatch, isHead }))
    .catch((error) => fail(exchange, error, { request: faultyOf(head), input, isHead }));
}

/** Answers an upload whose parts are read as they arrive. */
export function answerUpload(exchange: HttpExchange, head: Head, input: HttpInput) {
  exchange.endpoint = RESUMABLE_UPLOAD;
  const { method, url: path, headers } = head;
  const { host, authorization, contentType, contentLength, tus = {} } = headers;
  const body = hasBody(headers) ? exchange.takeBody(contentType, contentLength) : null;
  const isHead = method === 'HEAD';
  input.uploads({ method, path, host, authorization, contentType, headers: tus, body }).then(
    ({ status, headers, body }) => {
      const text = body === undefined ? '' : `${JSON.stringify(body)}\n`;
      exchange.end({ status: statusLine(status), headers, body: text, isHead });
    },
    (error) =>
      fail(exchange, error, { request: faultyOf(head), input, isHead, headers: TUS_HEADERS }),
  );
}

/** Returns true for methods that read; answers OPTIONS and refuses other methods. */
function isRead(exchange: HttpExchange, method: string, input: HttpInput): boolean {
  if (FILE_METHODS.includes(method)) return true;
  if (method !== 'OPTIONS') throw methodNotAllowed(FILE_METHODS);
  new HttpAnswer(exchange, input, WITHOUT_BODY).options(FILE_METHODS);
  return false;
}

const FILE_METHODS = ['GET', 'HEAD'];

function answerPage(exchange: HttpExchange, head: Head, body: Buffer | null, input: HttpInput) {
  const { method, url: path, query, headers } = head;
  const { host, authorization, userAgent, contentType } = headers;
  const cookies: string[] = [];
  const page = headers.isBrowser
    ? {
        ...pageOf(headers, { cookie: '' }),
        cookie: headers.cookie,
        setCookie: (header: string) => void cookies.push(header),
      }
    : undefined;
  const outcome = input.pages({
    method,
    path,
    from: { host, authorization, userAgent, address: () => exchange.address(), page },
    isBrowser: headers.isBrowser,
    query: () => rawParameters(query, null, ''),
    form: () => rawParameters(query, body, contentType),
    ifMatch: headers.ifMatch,
    text: body === null ? undefined : textReader(body, contentType),
  });
  if (outcome === undefined) {
    const document = FILE_METHODS.includes(method) ? input.web?.document(path, headers) : undefined;
    if (document === undefined) throw notFound(path);
    return exchange.end({ ...document, isHead: method === 'HEAD' });
  }
  if (!outcome.isAllowed) {
    if (method !== 'OPTIONS') throw methodNotAllowed(outcome.allowed);
    return new HttpAnswer(exchange, input, WITHOUT_BODY).options(outcome.allowed);
  }
  const isHead = method === 'HEAD';
  const show = async () => {
    if (outcome.hasForm) count(exchange, head, input);
    return await outcome.reply();
  };
  show().then(
    (reply) => exchange.end({ ...pageReply(reply, headers.ifNoneMatch, cookies), isHead }),
    (error) => {
      const said = () => Object.values(rawParameters(query, body, contentType));
      const request = { ...faultyOf(head), said, trace: exchange.trace };
      const failed = failure(error, () => input.onBug(error, request));
      const told = outcome.failed ?? failurePage;
      const page = pageReply(told(failed.status, sentenceOf(failed)), '');
      const waits = failed.status === 429 ? headersOf(failed, exchange) : [];
      const named = bugHeaders(failed, exchange);
      exchange.end({ ...page, headers: [...(page.headers ?? []), ...waits, ...named], isHead });
    },
  );
}
