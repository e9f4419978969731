import { CLIENT_NAME_LENGTH_MAX } from '../domain/limits/requests.ts';
import { cutTo } from '../domain/rules/messages/topic.ts';

/** The texts in which a client names itself. */
export interface NamedClient {
  readonly raw: Readonly<Record<string, string>>;
  readonly userAgent: string;
}

/**
 * Returns the parameter `client`, else the first word of `User-Agent` (reference/endpoints.md
 * section 0).
 */
export function clientName({ raw, userAgent }: NamedClient): string {
  const slash = userAgent.indexOf('/');
  const name = raw['client'] ?? (slash < 0 ? userAgent : userAgent.slice(0, slash));
  return cutTo(name, CLIENT_NAME_LENGTH_MAX) || 'Unspecified';
}
