import { COMMAND_NAMES, specOf } from './catalogue.ts';
import { CommandError, EXIT } from './exit-codes.ts';

/** Returns the script that completes commands in a shell. */
export function completionFor(shell: unknown): string {
  const script = SCRIPTS[String(shell)];
  if (script !== undefined) return script();
  const message = `'completion' knows ${Object.keys(SCRIPTS).join(', ')}, not '${shell}'`;
  throw new CommandError(message, EXIT.usage);
}

const SCRIPTS: Readonly<Record<string, () => string>> = {
  bash: () => `# For bash: eval "$(confab completion bash)"
_confab() {
  local word=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]}
  local command="\${COMP_WORDS[1]} \${COMP_WORDS[2]}" words=
  case "$COMP_CWORD:\${COMP_WORDS[1]}" in
    1:*) words="${nouns().join(' ')} --help --version" ;;
${[...verbs()].map(([noun, list]) => `    2:${noun}) words="${list.join(' ')}" ;;`).join('\n')}
    2:completion) words="bash zsh fish" ;;
    2:help) words="${nouns().join(' ')}" ;;
  esac
  if [ -z "$words" ]; then
    case "$command $previous" in
${choices()
  .map(({ name, option, list }) => `      "${name} --${option}") words="${list.join(' ')}" ;;`)
  .join('\n')}
    esac
    case "$previous" in
      ${pathOptions().join('|')}) compopt -o default; COMPREPLY=(); return ;;
    esac
  fi
  if [ -z "$words" ]; then
    case "$command " in
${COMMAND_NAMES.map((name) => `      "${name} "*) words="${optionsOf(name).join(' ')}" ;;`).join('\n')}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -F _confab confab
`,
  zsh: () => `#compdef confab
# For zsh: confab completion zsh > "\${fpath[1]}/_confab"
_confab() {
  local -a list
  local noun="$words[2]" verb="$words[3]"
  if (( CURRENT == 2 )); then
    list=(${described(nouns()).join(' ')})
    _describe command list
    return
  fi
  if (( CURRENT == 3 )); then
    case $noun in
${[...verbs()].map(([noun, list]) => `      ${noun}) list=(${list.map((verb) => entry(verb, summaryOf(`${noun} ${verb}`))).join(' ')}); _describe command list; return ;;`).join('\n')}
      completion) compadd bash zsh fish; return ;;
    esac
  fi
  case "$noun $verb " in
${COMMAND_NAMES.map((name) => `    "${name} "*) compadd -- ${optionsOf(name).join(' ')} ;;`).join('\n')}
  esac
  _files
}
compdef _confab confab 2>/dev/null || _confab "$@"
`,
  fish: () => `# For fish: confab completion fish > ~/.config/fish/completions/confab.fish
complete -c confab -f
${nouns()
  .map(
    (noun) =>
      `complete -c confab -n __fish_use_subcommand -a ${noun} -d ${quoted(summaryOf(noun))}`,
  )
  .join('\n')}
${[...verbs()]
  .flatMap(([noun, list]) =>
    list.map(
      (verb) =>
        `complete -c confab -n '__fish_seen_subcommand_from ${noun}; and not __fish_seen_subcommand_from ${list.join(' ')}' -a ${verb} -d ${quoted(summaryOf(`${noun} ${verb}`))}`,
    ),
  )
  .join('\n')}
complete -c confab -n '__fish_seen_subcommand_from completion' -a 'bash zsh fish'
${COMMAND_NAMES.flatMap((name) => fishOptions(name)).join('\n')}
`,
};

/** The first words of commands. */
const nouns = () => [...new Set(COMMAND_NAMES.map((name) => name.split(' ', 1)[0] ?? ''))];

/** The second words, by the first. */
function verbs(): ReadonlyMap<string, readonly string[]> {
  const all = new Map<string, string[]>();
  for (const name of COMMAND_NAMES) {
    const [noun = '', verb] = name.split(' ');
    if (verb !== undefined) all.set(noun, [...(all.get(noun) ?? []), verb]);
  }
  return all;
}

const optionsOf = (name: string) =>
  [...Object.keys(specOf(name)?.options ?? {}), 'json', 'help'].map((option) => `--${option}`);

/** The options whose values are known. */
const choices = () =>
  COMMAND_NAMES.flatMap((name) =>
    Object.entries(specOf(name)?.options ?? {}).flatMap(([option, { oneOf }]) =>
      oneOf === undefined ? [] : [{ name, option, list: oneOf }],
    ),
  );

const pathOptions = () => [
  ...new Set(
    COMMAND_NAMES.flatMap((name) =>
      Object.entries(specOf(name)?.options ?? {})
        .filter(([, { as }]) => as === 'path' || as === 'accounts')
        .map(([option]) => `--${option}`),
    ),
  ),
];

const summaryOf = (name: string) => {
  const summary = specOf(name)?.summary;
  if (summary !== undefined) return summary;
  return `${(verbs().get(name) ?? []).join(', ')}`;
};

const described = (names: readonly string[]) => names.map((name) => entry(name, summaryOf(name)));
const entry = (name: string, summary: string) => quoted(`${name}:${summary.replaceAll(':', ',')}`);
const quoted = (text: string) => `'${text.replaceAll("'", '’')}'`;

function fishOptions(name: string): string[] {
  const seen = name
    .split(' ')
    .map((word) => `__fish_seen_subcommand_from ${word}`)
    .join('; and ');
  return Object.entries(specOf(name)?.options ?? {}).map(([option, { help, value, oneOf, as }]) => {
    const takes = value === undefined ? '' : as === undefined ? ' -x' : ' -r -F';
    const list = oneOf === undefined ? '' : ` -a ${quoted(oneOf.join(' '))}`;
    return `complete -c confab -n '${seen}' -l ${option}${takes}${list} -d ${quoted(help)}`;
  });
}
