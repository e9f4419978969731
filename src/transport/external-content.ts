import { EXTERNAL_CONTENT_SECONDS_KEPT } from '../domain/limits/external-content.ts';
import type { ExternalContent } from '../endpoints/pages/external-content.ts';
import type { StreamedReply } from './answers/http-reply.ts';
import { statusLine } from './answers/reply.ts';
import type { HttpExchange } from './exchange.ts';

/**
 * Content of other sites is only what its type says, and can do nothing when it is opened by
 * itself.
 */
const HEADERS = [
  [
    'Content-Security-Policy',
    "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; sandbox",
  ],
  ['Referrer-Policy', 'no-referrer'],
  ['Accept-Ranges', 'bytes'],
] as const;

export function sendContent(exchange: HttpExchange, content: ExternalContent, isHead: boolean) {
  const { contentRange, contentType, length, body } = content;
  const reply: StreamedReply = {
    status: statusLine(contentRange === null ? 200 : 206),
    contentType,
    cacheControl: `private, max-age=${EXTERNAL_CONTENT_SECONDS_KEPT}`,
    headers: contentRange === null ? HEADERS : [...HEADERS, ['Content-Range', contentRange]],
  };
  if (!isHead) return exchange.stream(reply, body);
  body.destroy();
  exchange.endHead(reply, length);
}
