import { ArchiveError } from '../../archives/archive-error.ts';
import type { FileReference } from '../history.ts';
import type { openFiles } from './files.ts';
import type { Report } from './report.ts';

interface Input {
  readonly has: (entry: string) => boolean;
  readonly files: ReturnType<typeof openFiles>;
  readonly report: Report;
}

const NOT_THERE = 'The archive does not have it.';

/**
 * Returns how files of messages are linked. A file that is missing or damaged is left out and
 * reported, and its message has its name.
 */
export function openLinks({ has, files, report }: Input) {
  return (senderId: number) =>
    async (reference: FileReference): Promise<string> => {
      const { entry: file, name, label = name } = reference;
      const leftOut = (why: string) => {
        report.skip({ what: 'file', file, name, why });
        return label;
      };
      if (!has(file)) return leftOut(NOT_THERE);
      try {
        const url = await files.urlOf(reference, senderId);
        report.add('files');
        return `[${label.replaceAll(/[[\]\n]/g, ' ')}](${url})`;
      } catch (error) {
        if (error instanceof ArchiveError) return leftOut(error.message);
        throw error;
      }
    };
}
