import type { AddressInfo } from 'node:net';
import { createTransport } from 'nodemailer';
import { SMTPServer } from 'smtp-server';
import { expect, onTestFinished, test } from 'vitest';
import { smtpOptions } from '../../src/workers/smtp-options.ts';

/** Starts a mail server that offers TLS with a certificate of its own, as a fresh Postfix does. */
async function startServerWithTls(): Promise<number> {
  const server = new SMTPServer({ authOptional: true, logger: false });
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise<void>((resolve) => void server.close(() => resolve())));
  return (server.server.address() as AddressInfo).port; // of a server that listens on a port
}

async function reached(url: string): Promise<string> {
  const transport = createTransport(smtpOptions(url, 5_000));
  try {
    await transport.verify();
    return 'reached';
  } catch (error) {
    return (error as Error).message;
  } finally {
    transport.close();
  }
}

test('a mail server of this machine is reached without TLS, unless the URL asks for it', async () => {
  const port = await startServerWithTls();
  const url = `smtp://127.0.0.1:${port}`;
  expect(await reached(url)).toBe('reached');
  expect(await reached(`${url}/?requireTLS=true`)).toMatch(/certificate/);
  expect(await reached(`${url}/?tls.rejectUnauthorized=false`)).toBe('reached');
});

test.each([
  ['smtp://127.0.0.1:25', true],
  ['smtp://localhost', true],
  ['smtp://[::1]:2525', true],
  ['smtp://mail.example.com', undefined],
  ['smtps://127.0.0.1', undefined],
  ['smtp://127.0.0.1:25/?requireTLS=true', undefined],
])('TLS with the server of %s', (url, ignoreTLS) => {
  expect(smtpOptions(url, 1).ignoreTLS).toBe(ignoreTLS);
});
