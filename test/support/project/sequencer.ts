import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { FIRST, IN_FIREFOX } from './groups.ts';

/**
 * Begins each group with the files that take longest, because one that comes last has the machine
 * for itself. Those in Firefox come together. The others come as they do without this: by their
 * sizes, on a fresh machine.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const pathOf = ({ moduleId, project }: TestSpecification) =>
      relative(project.vitest.config.root, moduleId);
    const isFirst = (file: TestSpecification) => FIRST.includes(pathOf(file));
    const isNext = (file: TestSpecification) =>
      file.project.name === 'pages' && IN_FIREFOX.test(pathOf(file));
    const groups = new Map<string, TestSpecification[]>();
    for (const file of sorted) {
      const { name } = file.project;
      groups.set(name, [...(groups.get(name) ?? []), file]);
    }
    return [...groups.values()].flatMap((group) => [
      ...group.filter(isFirst),
      ...group.filter((file) => !isFirst(file) && isNext(file)),
      ...group.filter((file) => !isFirst(file) && !isNext(file)),
    ]);
  }
}
