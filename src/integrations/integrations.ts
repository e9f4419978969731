import { github } from './github/github.ts';
import { gitlab } from './gitlab/gitlab.ts';
import type { Integration } from './integration.ts';
import { json } from './json.ts';
import { slack } from './slack/slack.ts';

/** The integrations by their names in URLs. */
export const INTEGRATIONS = {
  github,
  gitlab,
  json,
  slack_incoming: slack,
} as const satisfies Readonly<Record<string, Integration>>;

export type IntegrationName = keyof typeof INTEGRATIONS;

// The names are the keys of the record.
export const INTEGRATION_NAMES = Object.keys(INTEGRATIONS) as [
  IntegrationName,
  ...IntegrationName[],
];

/** An option of the bot, stored in its `config_data`. */
const SECRET_OPTION = {
  key: 'webhook_secret',
  label: 'Secret that the service signs with',
  validator: 'check_string',
};

/** An option of the URL. */
const BRANCHES_OPTION = {
  key: 'branches',
  label: 'Branches to hear of, with commas between them',
  validator: 'check_string',
};

/**
 * Describes the integrations for clients, which build URLs from it
 * (reference/events-and-register.md 5.7).
 */
export const integrationsAsShown = () =>
  Object.entries<Integration>(INTEGRATIONS).map(
    ([name, { displayName, eventTypes, hasBranches, isSigned }]) => ({
      name,
      display_name: displayName,
      all_event_types: eventTypes === null ? null : [...eventTypes],
      config_options: isSigned ? [SECRET_OPTION] : [],
      url_options: hasBranches ? [BRANCHES_OPTION] : [],
    }),
  );
