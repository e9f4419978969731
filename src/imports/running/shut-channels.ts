import type { HistoryChannel } from '../history.ts';
import { openNames } from './contents.ts';
import type { Report } from './report.ts';
import type { Target } from './target.ts';

const SHUT = 'The channel came along; access without an account is off in this organization.';

/** Reports channels that everybody on the web could read, where the organization has none such. */
export function reportShut(
  channels: readonly HistoryChannel[],
  { target, report, source }: { target: Target; report: Report; source: string },
) {
  const names = openNames(target, source);
  for (const { id, name, webPublic } of channels) {
    if (webPublic !== true || names.channel(id)?.isWebPublic !== false) continue;
    report.skip({ what: 'access from the web', row: id, name, why: SHUT });
  }
}
