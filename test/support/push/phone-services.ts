import {
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  type KeyPairKeyObjectResult,
  verify,
} from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import http2 from 'node:http2';
import type { AddressInfo, Server } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { temporaryFolder } from '../scratch.ts';
import { SILENT } from './browser.ts';

const FIXTURES = join(import.meta.dirname, '../../fixtures');
export const TOPIC = 'org.example.app';

async function listening(server: Server, protocol: 'http' | 'https'): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // of a server that listens on a port
  return `${protocol}://localhost:${port}`;
}

/** Checks the signature of a token; returns its header and its claims. */
function readToken(token: string, key: KeyObject) {
  const [head = '', claims = '', signature = ''] = token.split('.');
  const isRight = verify(
    'sha256',
    Buffer.from(`${head}.${claims}`),
    { key, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  );
  expect(isRight).toBe(true);
  const parsed = (part: string) =>
    JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>;
  return { head: parsed(head), claims: parsed(claims) };
}

export interface ApnsAnswer {
  readonly status: number;
  readonly reason?: string;
  /** Since when a token is not valid, with status 410. */
  readonly timestamp?: number;
  readonly isLast?: true;
  /** The connection is lost before an answer. */
  readonly isLost?: true;
}

/** Apple's service: HTTP/2 with TLS; it checks the token, the headers and the size. */
export async function startApns(
  answer: (count: number) => ApnsAnswer = () => ({ status: 200 }),
  settings: http2.Settings = {},
) {
  const folder = temporaryFolder();
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const file = join(folder, 'AuthKey.p8');
  writeFileSync(file, privateKey.export({ type: 'pkcs8', format: 'pem' }));
  const cert = join(FIXTURES, 'test-only-cert.pem');
  const pushed: { headers: http2.IncomingHttpHeaders; payload: Record<string, unknown> }[] = [];
  const faults: unknown[] = [];
  const sessions = new Set<http2.ServerHttp2Session>();
  const opened = { count: 0 };
  const server = http2.createSecureServer({
    key: readFileSync(join(FIXTURES, 'test-only-key.pem')),
    cert: readFileSync(cert),
    settings,
  });
  server.on('session', (session) => {
    opened.count += 1;
    sessions.add(session);
    session.on('close', () => sessions.delete(session));
  });
  let count = 0;
  server.on('stream', (stream, headers) => {
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('end', () => {
      const body = Buffer.concat(chunks);
      try {
        const token = String(headers.authorization).replace(/^bearer /, '');
        const { head, claims } = readToken(
          token,
          createPublicKey(publicKey.export({ type: 'spki', format: 'pem' })),
        );
        expect(head).toEqual({ alg: 'ES256', kid: 'KEY4567890' });
        expect(claims).toEqual({ iss: 'TEAM567890', iat: expect.any(Number) });
        expect(Math.abs(Number(claims['iat']) - Date.now() / 1_000)).toBeLessThan(3_600);
        expect(body.length).toBeLessThanOrEqual(4_096);
        const payload = JSON.parse(body.toString()) as Record<string, unknown>;
        expect(headers[':path']).toMatch(/^\/3\/device\/[0-9a-f]+$/);
        const aps = payload['aps'] as Record<string, unknown>;
        // Apple may drop a push whose type is not what its payload does.
        const doesAnything = ['alert', 'badge', 'sound'].some((name) => name in aps);
        expect(headers['apns-push-type']).toBe(doesAnything ? 'alert' : 'background');
        expect(headers['apns-priority']).toBe('alert' in aps ? '10' : '5');
        expect(Number(headers['apns-expiration'])).toBeGreaterThan(Date.now() / 1_000);
        pushed.push({ headers, payload });
      } catch (error) {
        faults.push(error);
      }
      count += 1;
      const { status, reason, timestamp, isLast, isLost } = answer(count);
      if (isLost) return stream.session?.destroy();
      if (status === SILENT) return;
      stream.respond({ ':status': status });
      stream.end(reason === undefined ? '' : JSON.stringify({ reason, timestamp }));
      if (isLast) stream.session?.goaway();
    });
  });
  const url = await listening(server, 'https');
  onTestFinished(() => {
    for (const session of sessions) session.destroy();
    server.close();
  });
  const env = {
    CONFAB_APNS_KEY: file,
    CONFAB_APNS_KEY_ID: 'KEY4567890',
    CONFAB_APNS_TEAM_ID: 'TEAM567890',
    CONFAB_APNS_TOPIC: TOPIC,
    CONFAB_APNS_URL: url,
    CONFAB_APNS_CA: cert,
  };
  return { env, pushed, faults, opened };
}

export interface FcmAnswer {
  readonly status: number;
  readonly code?: string;
  readonly headers?: Record<string, string>;
}

/** It takes a while to make. */
let rsa: KeyPairKeyObjectResult | undefined;

/** Google's service and the one that gives its tokens, which checks what it is asked with. */
export async function startFcm(
  answer: (count: number) => FcmAnswer = () => ({ status: 200 }),
  /** The refusal of a token (RFC 6749, section 5.2), if there is one. */
  refusal: () => string | null = () => null,
) {
  const folder = temporaryFolder();
  rsa ??= generateKeyPairSync('rsa', { modulusLength: 2048 });
  const { privateKey, publicKey } = rsa;
  const pushed: Record<string, unknown>[] = [];
  const faults: unknown[] = [];
  const asked = { count: 0 };
  let origin = '';
  let count = 0;
  const server = http.createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      try {
        if (request.url === '/token') {
          const form = new URLSearchParams(body);
          expect(form.get('grant_type')).toBe('urn:ietf:params:oauth:grant-type:jwt-bearer');
          const { head, claims } = readToken(form.get('assertion') ?? '', publicKey);
          expect(head).toEqual({ alg: 'RS256', typ: 'JWT', kid: 'k1' });
          expect(claims).toMatchObject({
            iss: 'confab@example.com',
            aud: `${origin}/token`,
            scope: 'https://www.googleapis.com/auth/firebase.messaging',
          });
          expect(Number(claims['exp']) - Number(claims['iat'])).toBe(3_600);
          const error = refusal();
          if (error !== null) {
            response.writeHead(400).end(JSON.stringify({ error }));
            return;
          }
          asked.count += 1;
          const token = JSON.stringify({ access_token: `t${asked.count}`, expires_in: 3_599 });
          response.writeHead(200).end(token);
          return;
        }
        expect(request.url).toBe('/v1/projects/my-project/messages:send');
        expect(request.headers.authorization).toBe(`Bearer t${asked.count}`);
        const { message } = JSON.parse(body) as { message: { data: Record<string, unknown> } };
        const values = Object.values(message.data);
        expect(values.every((value) => typeof value === 'string')).toBe(true);
        pushed.push(message);
      } catch (error) {
        faults.push(error);
      }
      count += 1;
      const { status, code, headers } = answer(count);
      if (status === SILENT) return;
      const error = { error: { code: status, details: [{ errorCode: code }] } };
      response.writeHead(status, headers).end(JSON.stringify(code === undefined ? {} : error));
    });
  });
  origin = await listening(server, 'http');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const file = join(folder, 'account.json');
  const account = {
    project_id: 'my-project',
    client_email: 'confab@example.com',
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
    private_key_id: 'k1',
    token_uri: `${origin}/token`,
  };
  writeFileSync(file, JSON.stringify(account));
  return { env: { CONFAB_FCM_ACCOUNT: file, CONFAB_FCM_URL: origin }, pushed, faults, asked };
}
