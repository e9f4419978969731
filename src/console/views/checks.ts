import { resolve } from 'node:path';
import { runCheck } from '../../admin/commands.ts';
import { examine } from '../../command-line/doctor.ts';
import type { ServerSettings } from '../../config.ts';
import type { CheckView, DataCheckLine } from '../wire.ts';

/** Examines the machine and the settings, as `confab doctor` does. */
export const checks = (settings: ServerSettings): Promise<readonly CheckView[]> =>
  examine({ settings, data: resolve(settings.data), pid: process.pid, now: Date.now });

/** Looks for damage in the stored data, in processes of its own, as `confab check` does. */
export async function checkData(
  data: string,
  args: { readonly realm?: string | undefined },
  settings: ServerSettings,
): Promise<{ isSound: boolean; lines: readonly DataCheckLine[] }> {
  const lines: DataCheckLine[] = [];
  const checking = runCheck(data, args, settings);
  for (;;) {
    const { done, value } = await checking.next();
    if (done) return { isSound: value, lines };
    lines.push(value as DataCheckLine); // a line is an object of plain values
  }
}
