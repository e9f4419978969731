import type { ServerResponse } from 'node:http';
import { ApiError } from '../domain/wire/errors.ts';
import { type BuiltFile, formOf } from '../transport/web/built-page.ts';

/**
 * Only files of this listener run or are shown, no page may frame it, and text never becomes
 * markup in the page.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

const HEADERS = {
  'Content-Security-Policy': POLICY,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
} as const;

type Headers = Readonly<Record<string, string>>;

const HTML = 'text/html; charset=utf-8';
const JSON_TYPE = 'application/json';

function end(res: ServerResponse, status: number, body: string | Buffer, headers: Headers) {
  res.writeHead(status, {
    ...HEADERS,
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
    ...headers,
  });
  res.end(body);
}

export const answerJson = (res: ServerResponse, value: unknown, status = 200) =>
  end(res, status, JSON.stringify(value), { 'Content-Type': JSON_TYPE });

export const answerHtml = (res: ServerResponse, status: number, body: string) =>
  end(res, status, body, { 'Content-Type': HTML });

export const answerText = (res: ServerResponse, status: number, text: string) =>
  end(res, status, `${text}\n`, { 'Content-Type': 'text/plain; charset=utf-8' });

export const redirect = (res: ServerResponse, location: string, cookie?: string) =>
  end(res, 303, '', { Location: location, ...(cookie && { 'Set-Cookie': cookie }) });

/** Names of files have the hash of what is in them; only the document itself is asked for again. */
export function answerAsset(res: ServerResponse, asset: BuiltFile, accepts: string) {
  const { body, coding } = formOf(asset, accepts);
  end(res, 200, body, {
    'Content-Type': asset.type,
    Vary: 'Accept-Encoding',
    'Cache-Control': asset.type === HTML ? 'no-store' : 'public, max-age=31536000, immutable',
    ...(coding && { 'Content-Encoding': coding }),
  });
}

/** Answers a refusal; anything else is a bug, which the caller has logged. */
export function answerError(res: ServerResponse, error: unknown) {
  if (error instanceof ApiError) answerJson(res, { refusal: error.message }, error.status);
  else answerJson(res, { refusal: 'Internal error; the log says more' }, 500);
}
