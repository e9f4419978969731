import type { ServerSettings } from '../config.ts';
import { SERVICE_VERSION } from '../domain/version.ts';
import { API_PREFIX } from '../transport/requests/api.ts';
import type { Input, Parts } from './parts.ts';

/** Describes the server for `confab status`. */
export function standingOf({ settings, monitoring }: Input, parts: Parts): object {
  const { realms, listener, served } = parts;
  const { isReady, state, reasons, checks } = monitoring.health();
  return {
    is_running: true,
    state,
    is_ready: isReady,
    reasons,
    version: SERVICE_VERSION,
    pid: process.pid,
    started_at: new Date(performance.timeOrigin).toISOString(),
    url: listener === null ? null : urlOf(settings, listener.port),
    realms: realms?.all().length ?? null,
    realms_not_served: realms?.unserved().length ?? null,
    realms_closed: checks.realms.closed,
    sockets: served?.socketCount() ?? null,
    ...(parts.node === null ? {} : { node: parts.node.name, ...parts.node.describe() }),
    oldest_commit_ms: checks.oldestCommitMs,
    disk_free_share: checks.freeShare,
    loop_delay_p99_ms: checks.loopDelayP99Ms,
  };
}

export function urlOf({ tls, host }: ServerSettings, port: number): string {
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
  return `${tls === null ? 'http' : 'https'}://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

/** Returns the address of the API, as the server listens. */
export const apiUrl = (settings: ServerSettings, port: number) =>
  `${urlOf(settings, port)}${API_PREFIX}`;
