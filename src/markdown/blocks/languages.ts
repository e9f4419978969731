/**
 * A language of code: its proper name, which clients show, and the grammar that knows its words.
 */
export interface Language {
  readonly name: string;
  /** a module of the library; none for text without any structure */
  readonly grammar: string | null;
}

/**
 * Returns the language for the word that people write behind a fence; code with other words is
 * shown without colours.
 */
export const languageNamed = (word: string): Language | undefined =>
  LANGUAGES.get(word.toLowerCase());

/** The rows have the proper name, the grammar, and the words for a language. */
const TABLE: readonly (readonly [name: string, grammar: string | null, words: string])[] = [
  ['Ada', 'ada', 'ada ada95 ada2005'],
  ['Arduino', 'arduino', 'arduino ino'],
  ['AsciiDoc', 'asciidoc', 'asciidoc adoc'],
  ['Awk', 'awk', 'awk gawk mawk'],
  ['Bash', 'bash', 'bash sh ksh zsh shell'],
  ['Bash Session', 'shell', 'console shell-session shellsession'],
  ['Batchfile', 'dos', 'bat batch dosbatch winbatch cmd'],
  ['BASIC', 'basic', 'basic'],
  ['C', 'c', 'c h'],
  ['C#', 'csharp', 'csharp c# cs'],
  ['C++', 'cpp', 'cpp c++ cc cxx hpp'],
  ['Clojure', 'clojure', 'clojure clj'],
  ['CMake', 'cmake', 'cmake'],
  ['CoffeeScript', 'coffeescript', 'coffeescript coffee coffee-script'],
  ['Common Lisp', 'lisp', 'common-lisp cl lisp'],
  ['Crystal', 'crystal', 'crystal cr'],
  ['CSS', 'css', 'css'],
  ['D', 'd', 'd'],
  ['Dart', 'dart', 'dart'],
  ['Delphi', 'delphi', 'delphi pas pascal objectpascal'],
  ['Diff', 'diff', 'diff udiff patch'],
  ['Docker', 'dockerfile', 'docker dockerfile'],
  ['EBNF', 'ebnf', 'ebnf'],
  ['Elixir', 'elixir', 'elixir ex exs'],
  ['Elm', 'elm', 'elm'],
  ['Erlang', 'erlang', 'erlang erl'],
  ['F#', 'fsharp', 'fsharp f# fs'],
  ['Fortran', 'fortran', 'fortran f90'],
  ['Gherkin', 'gherkin', 'gherkin cucumber'],
  ['GLSL', 'glsl', 'glsl'],
  ['Go', 'go', 'go golang'],
  ['GraphQL', 'graphql', 'graphql gql'],
  ['Groovy', 'groovy', 'groovy'],
  ['Haskell', 'haskell', 'haskell hs'],
  ['HTML', 'xml', 'html xhtml'],
  ['HTTP', 'http', 'http https'],
  ['INI', 'ini', 'ini cfg dosini'],
  ['Java', 'java', 'java jsp'],
  ['JavaScript', 'javascript', 'js javascript jsx mjs cjs node'],
  ['JSON', 'json', 'json jsonc json5'],
  ['Julia', 'julia', 'julia jl'],
  ['Kotlin', 'kotlin', 'kotlin kt kts'],
  ['Less', 'less', 'less'],
  ['LLVM', 'llvm', 'llvm'],
  ['Lua', 'lua', 'lua'],
  ['Makefile', 'makefile', 'make makefile mf bsdmake'],
  ['Markdown', 'markdown', 'markdown md'],
  ['Matlab', 'matlab', 'matlab'],
  ['NASM', 'x86asm', 'nasm asm x86asm'],
  ['Nginx configuration file', 'nginx', 'nginx nginxconf'],
  ['Nim', 'nim', 'nim nimrod'],
  ['Nix', 'nix', 'nix nixos'],
  ['Objective-C', 'objectivec', 'objective-c objectivec objc obj-c'],
  ['OCaml', 'ocaml', 'ocaml ml'],
  ['Perl', 'perl', 'perl pl'],
  ['PHP', 'php', 'php php3 php4 php5'],
  ['PowerShell', 'powershell', 'powershell pwsh posh ps1 psm1'],
  ['Prolog', 'prolog', 'prolog'],
  ['Properties', 'properties', 'properties jproperties'],
  ['Protocol Buffer', 'protobuf', 'protobuf proto'],
  ['Puppet', 'puppet', 'puppet'],
  ['Python', 'python', 'python py python3 py3 sage bazel starlark'],
  ['Python console session', 'python-repl', 'pycon python-console'],
  ['QML', 'qml', 'qml qbs'],
  ['R', 'r', 'r s splus'],
  ['Ruby', 'ruby', 'ruby rb duby'],
  ['Rust', 'rust', 'rust rs'],
  ['Sass', 'scss', 'sass'],
  ['Scala', 'scala', 'scala'],
  ['Scheme', 'scheme', 'scheme scm'],
  ['SCSS', 'scss', 'scss'],
  ['Smalltalk', 'smalltalk', 'smalltalk squeak st'],
  ['SQL', 'sql', 'sql mysql sqlite3'],
  ['PostgreSQL SQL dialect', 'pgsql', 'postgresql postgres pgsql'],
  ['Standard ML', 'sml', 'sml'],
  ['Swift', 'swift', 'swift'],
  ['Tcl', 'tcl', 'tcl'],
  ['TeX', 'latex', 'tex latex'],
  ['Text only', null, 'text plain txt'],
  ['TOML', 'ini', 'toml'],
  ['Transact-SQL', 'sql', 'tsql t-sql'],
  ['TypeScript', 'typescript', 'ts typescript tsx'],
  ['VB.net', 'vbnet', 'vb.net vbnet vb'],
  ['Verilog', 'verilog', 'verilog v'],
  ['VHDL', 'vhdl', 'vhdl'],
  ['VimL', 'vim', 'vim viml'],
  ['WebAssembly', 'wasm', 'wast wat wasm'],
  ['XML', 'xml', 'xml xsl xsd svg rss'],
  ['XQuery', 'xquery', 'xquery xq'],
  ['YAML', 'yaml', 'yaml yml'],
];

const LANGUAGES: ReadonlyMap<string, Language> = new Map(
  TABLE.flatMap(([name, grammar, words]) =>
    words.split(' ').map((word) => [word, { name, grammar }]),
  ),
);
