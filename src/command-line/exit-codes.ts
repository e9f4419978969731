/** The exit codes of the command line, which docs/command-line.md explains. */
export const EXIT = {
  done: 0,
  /**
   * The answer is no (`status`, `doctor`, `check`, `ldap sync`, `push test`), or the command met a
   * bug.
   */
  no: 1,
  usage: 2,
  notFound: 3,
  refused: 4,
  /** A server that is needed cannot be reached; the number is that of sysexits.h. */
  unreachable: 69,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** An error that the operator can mend; its message is printed in one line. */
export class CommandError extends Error {
  readonly exitCode: ExitCode;

  constructor(message: string, exitCode: ExitCode) {
    super(message);
    this.exitCode = exitCode;
  }
}
