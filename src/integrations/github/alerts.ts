import { z } from 'zod';
import { reading } from '../events.ts';
import { someText } from '../payload.ts';
import { code, link, plain } from '../texts.ts';
import { base, by, repositoryLink } from './objects.ts';

type Repository = z.output<typeof base.repository>;

const topicOf = ({ name }: Repository) => `${name} / security`;

/** Returns the verb of an action; other actions are named as GitHub does, which says enough. */
const verbOf = (action: string) => {
  const verbs = new Map([
    ['created', 'opened'],
    ['create', 'opened'],
    ['dismiss', 'dismissed'],
    ['resolve', 'resolved'],
    ['closed_by_user', 'closed'],
    ['reopened_by_user', 'reopened'],
    ['auto_dismissed', 'dismissed'],
    ['auto_reopened', 'reopened'],
    ['reintroduced', 'reopened'],
    ['publicly_leaked', 'marked as publicly leaked'],
  ]);
  return verbs.get(action) ?? plain(action.replaceAll('_', ' '));
};

/** Builds the sentence. The sender is often missing, since GitHub itself finds most alerts. */
const sentenceOf = (
  { action, repository, sender }: z.output<z.ZodObject<typeof base>>,
  { kind, what, severity }: { kind: string; what: string; severity: string | null | undefined },
) => {
  const how = plain(severity ?? '');
  const graded = how === '' ? '' : ` (severity: **${how}**)`;
  const who = sender == null ? '' : ` by ${by(sender)}`;
  const where = repositoryLink(repository);
  return `${kind} alert of ${where} was ${verbOf(action)}${who}: ${what}${graded}`;
};

const sayDependabot = reading(
  z.object({
    ...base,
    alert: z.object({
      number: z.int(),
      html_url: someText,
      dependency: z.object({ package: z.object({ name: z.string() }).nullish() }).nullish(),
      security_advisory: z.object({ summary: z.string(), severity: someText }),
    }),
  }),
  (payload) => {
    const { number, html_url, dependency, security_advisory: advisory } = payload.alert;
    const title = link(plain(`#${number} ${advisory.summary}`), html_url);
    const name = dependency?.package?.name;
    const what = name ? `${title} in ${code(name)}` : title;
    const about = { kind: 'Dependabot', what, severity: advisory.severity };
    return { topic: topicOf(payload.repository), parts: [sentenceOf(payload, about)] };
  },
);

const sayCodeScanning = reading(
  z.object({
    ...base,
    ref: someText,
    alert: z.object({
      number: z.int(),
      html_url: someText,
      rule: z.object({
        description: someText,
        id: someText,
        severity: someText,
        security_severity_level: someText,
      }),
    }),
  }),
  (payload) => {
    const { number, html_url, rule } = payload.alert;
    const title = plain(`#${number} ${rule.description || rule.id || ''}`);
    const severity = rule.security_severity_level ?? rule.severity;
    const branch = payload.ref?.startsWith('refs/heads/') ? payload.ref.slice(11) : undefined;
    const what = `${link(title, html_url)}${branch ? ` in ${code(branch)}` : ''}`;
    const about = { kind: 'Code scanning', what, severity };
    return { topic: topicOf(payload.repository), parts: [sentenceOf(payload, about)], branch };
  },
);

const saySecretScanning = reading(
  z.object({
    ...base,
    alert: z.object({
      number: z.int(),
      html_url: someText,
      secret_type: someText,
      secret_type_display_name: someText,
    }),
  }),
  (payload) => {
    const { number, html_url, secret_type, secret_type_display_name } = payload.alert;
    const title = plain(`#${number} ${secret_type_display_name || secret_type || ''}`);
    const about = { kind: 'Secret scanning', what: link(title, html_url), severity: undefined };
    return { topic: topicOf(payload.repository), parts: [sentenceOf(payload, about)] };
  },
);

/** The event of Dependabot's alerts before they had one of their own. */
const sayVulnerability = reading(
  z.object({
    ...base,
    alert: z.object({
      affected_package_name: z.string(),
      affected_range: someText,
      external_identifier: someText,
      external_reference: someText,
      severity: someText,
    }),
  }),
  (payload) => {
    const { alert } = payload;
    const title = plain(alert.external_identifier ?? '') || 'Vulnerability';
    const range = alert.affected_range ? ` ${code(alert.affected_range)}` : '';
    const name = code(alert.affected_package_name);
    const what = `${link(title, alert.external_reference)} in ${name}${range}`;
    const about = { kind: 'Vulnerability', what, severity: alert.severity };
    return { topic: topicOf(payload.repository), parts: [sentenceOf(payload, about)] };
  },
);

/** Alerts of vulnerabilities that GitHub finds in a repository. */
export const ALERT_EVENTS = {
  dependabot_alert: sayDependabot,
  code_scanning_alert: sayCodeScanning,
  secret_scanning_alert: saySecretScanning,
  repository_vulnerability_alert: sayVulnerability,
};
