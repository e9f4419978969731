/** The reasons for which a provider vouches for nobody, as the log names them. */
export type FaultCode =
  | 'ambiguous'
  | 'busy'
  | 'denied'
  | 'no_id'
  | 'no_id_token'
  | 'not_trusted'
  | 'refused'
  | 'too_large'
  | 'unreachable';

export class SignInFault extends Error {
  readonly code: FaultCode;

  constructor(code: FaultCode, cause?: unknown) {
    super(code, { cause });
    this.code = code;
  }
}

/** Returns the reason of an error of the library, of `fetch`, or of what they wrap. */
export function codeOf(error: unknown): FaultCode {
  for (let one = error; one instanceof Error; one = one.cause) {
    if (one instanceof SignInFault) return one.code;
    const { name, code, error: said } = one as Error & { code?: unknown; error?: unknown };
    if (said === 'access_denied') return 'denied';
    if (name === 'TimeoutError' || name === 'AbortError') return 'unreachable';
    if (name === 'ResponseBodyError' || name === 'AuthorizationResponseError') return 'refused';
    if (typeof code === 'string' && UNREACHABLE.test(code)) return 'unreachable';
    if (one.message === 'fetch failed') return 'unreachable';
  }
  return 'not_trusted';
}

/**
 * The errors that a provider may name (RFC 6749 sections 4.1.2.1 and 5.2, OpenID Connect Core 1.0
 * section 3.1.2.6); any other words of it may have secrets in them.
 */
const NAMED: ReadonlySet<unknown> = new Set([
  ...['invalid_request', 'invalid_client', 'invalid_grant', 'invalid_scope'],
  ...['unauthorized_client', 'unsupported_grant_type', 'unsupported_response_type'],
  ...['access_denied', 'server_error', 'temporarily_unavailable'],
  ...['login_required', 'consent_required', 'interaction_required', 'account_selection_required'],
]);

/** Returns the error that the provider has named, if it is one of those that there are. */
export function namedBy(error: unknown): string | undefined {
  const { error: said } = (error ?? {}) as { error?: unknown };
  return NAMED.has(said) ? String(said) : undefined;
}

/**
 * Returns the code of an error, or of the first one that it wraps and that has one. It passes over
 * faults of sign-ins, whose codes the log has as the outcome.
 */
export function codeWithin(error: unknown): string | number | undefined {
  for (let one = error; one instanceof Error; one = one.cause) {
    if (one instanceof SignInFault) continue;
    const { code } = one as Error & { code?: unknown };
    if (typeof code === 'string' || typeof code === 'number') return code;
  }
  return undefined;
}

const UNREACHABLE =
  /^(ECONN|ENOTFOUND|EAI_|ETIMEDOUT|EHOST|ENET|UND_|OAUTH_TIMEOUT|CERT_|ERR_TLS|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/;

/** The sentence for the person who is not signed in. */
export const SENTENCES: Readonly<Record<FaultCode, string>> = {
  ambiguous: 'It has several people of that name. Please log in by another name of yours.',
  busy: 'Too many people are signing in at this moment. Please try again.',
  denied: 'The sign-in was cancelled there.',
  no_id: 'It does not say which person you are. Please tell your administrator.',
  no_id_token: 'It has not said who you are. Please tell your administrator.',
  not_trusted:
    'Its answer cannot be trusted. Please try again, and tell your administrator if it stays so.',
  refused:
    'It has refused the sign-in. Please try again, and tell your administrator if it stays so.',
  too_large: 'Its answer is too large. Please tell your administrator.',
  unreachable: 'It cannot be reached, or takes too long to answer. Please try again later.',
};
