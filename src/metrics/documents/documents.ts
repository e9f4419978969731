import { alertRules } from './alerts.ts';
import { dashboard } from './dashboard.ts';
import { metricsPage } from './metrics-page.ts';

/** The files that `npm run docs` writes from the declarations, for those who run a server. */
export const OPERATING_DOCUMENTS = [
  { file: 'docs/metrics.md', text: metricsPage },
  { file: 'docs/operating/confab-alerts.yml', text: alertRules },
  { file: 'docs/operating/confab-dashboard.json', text: dashboard },
] as const;
