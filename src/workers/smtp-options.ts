/** The library reaches the mail server by these. */
export interface SmtpOptions {
  readonly url: string;
  readonly connectionTimeout: number;
  readonly greetingTimeout: number;
  readonly socketTimeout: number;
  readonly ignoreTLS?: boolean;
}

/**
 * Returns how a mail server is reached. One on this machine gets mails without TLS unless the URL
 * asks for it: a fresh Postfix of Debian offers TLS with a certificate that it has signed itself,
 * and all mails would fail for it.
 */
export function smtpOptions(url: string, waitMs: number): SmtpOptions {
  const { protocol, hostname, searchParams } = new URL(url);
  const asksForTls = Array.from(searchParams.keys()).some((name) => /tls|secure/i.test(name));
  const host = hostname.replace(/^\[|\]$/g, '');
  const isPlain = protocol === 'smtp:' && OF_THIS_MACHINE.test(host) && !asksForTls;
  return {
    url,
    connectionTimeout: waitMs,
    greetingTimeout: waitMs,
    socketTimeout: waitMs,
    ...(isPlain ? { ignoreTLS: true } : {}),
  };
}

const OF_THIS_MACHINE = /^(?:localhost|::1|127\.\d+\.\d+\.\d+)$/;
