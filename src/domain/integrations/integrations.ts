import type { Integration } from './integration.ts';
import { json } from './json.ts';

/** By their names in URLs. */
export const INTEGRATIONS = { json } as const satisfies Readonly<Record<string, Integration>>;

export type IntegrationName = keyof typeof INTEGRATIONS;

// The keys of the record.
export const INTEGRATION_NAMES = Object.keys(INTEGRATIONS) as [IntegrationName];

/** What clients make URLs of (reference/events-and-register.md 5.7). */
export const integrationsAsShown = () =>
  Object.entries(INTEGRATIONS).map(([name, { displayName, eventTypes }]) => ({
    name,
    display_name: displayName,
    all_event_types: eventTypes === null ? null : [...eventTypes],
    config_options: [],
    url_options: [],
  }));
