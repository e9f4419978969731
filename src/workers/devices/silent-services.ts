import { TooEarly } from '../post.ts';

/** Pushes at once to a service that has not answered the last one. */
export const TO_SILENT_SERVICE_MAX = 2;
/** People choose the push services of their browsers, so their number is bounded. */
const SERVICES_MAX = 1_000;

/** Sends to a service, unless enough wait already for one that is silent. */
export type Patience = <Answer>(service: string, send: () => Promise<Answer>) => Promise<Answer>;

/**
 * Remembers which services did not answer in time. Few pushes try such a one, and the others come
 * again later, so that those to other services have room.
 */
export function openPatience(isTimeout: (error: unknown) => boolean): Patience {
  /** How many are under way, by service; the one that fell silent first comes first. */
  const silent = new Map<string, number>();

  function fellSilent(service: string) {
    if (silent.has(service)) return;
    const [oldest] = silent.keys();
    if (silent.size >= SERVICES_MAX && oldest !== undefined) silent.delete(oldest);
    silent.set(service, 0);
  }

  return async (service, send) => {
    const underWay = silent.get(service);
    if (underWay !== undefined) {
      if (underWay >= TO_SILENT_SERVICE_MAX) {
        throw new TooEarly(`the push service ${service} does not answer`, 0);
      }
      silent.set(service, underWay + 1);
    }
    try {
      const answer = await send();
      silent.delete(service);
      return answer;
    } catch (error) {
      if (isTimeout(error)) fellSilent(service);
      throw error;
    } finally {
      const left = silent.get(service);
      if (underWay !== undefined && left !== undefined) silent.set(service, Math.max(0, left - 1));
    }
  };
}
