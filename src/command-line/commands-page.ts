import { type CommandName, type CommandSpec, GROUPS, usageOf } from './catalogue.ts';

const BEGIN = '<!-- commands: begin (npm run docs) -->';
const END = '<!-- commands: end -->';

/** Returns docs/command-line.md with the commands as the catalogue has them. */
export function withCommands(page: string): string {
  const [before = '', rest = ''] = page.split(BEGIN);
  const [, after = ''] = rest.split(END);
  const groups = Object.entries(GROUPS).map(([title, commands]) => {
    const lines = Object.entries<CommandSpec>(commands).map(
      ([name, { summary }]) => `confab ${usageOf(name as CommandName)}\n    ${summary}`,
    );
    return `### ${title}\n\n\`\`\`\n${lines.join('\n')}\n\`\`\``;
  });
  return `${before}${BEGIN}\n\n${groups.join('\n\n')}\n\n${END}${after}`;
}
