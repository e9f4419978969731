/** The description of a thrown value for the log. */
export interface DescribedError {
  readonly type: string;
  readonly message: string;
  /** The stack without the message, which the trace of an error repeats. */
  readonly stack?: string;
  readonly code?: string;
  readonly cause?: DescribedError;
}

/** A message that quotes its input can be as long as the input. */
const MESSAGE_LENGTH_MAX = 1_000;
/** A cycle of causes ends here. */
const CAUSES_MAX = 4;

/**
 * Describes a thrown value for the log by these fields only: an error may carry the value that
 * caused it, such as a request with its credentials, or a URL with a key in it.
 */
export function describedError(
  error: unknown,
  hide: (text: string) => string = (text) => text,
  depth = 1,
): DescribedError {
  if (typeof error !== 'object' || error === null) {
    return { type: typeof error, message: hide(cut(String(error))) };
  }
  const { name, message, stack, code, cause } = error as Readonly<Record<string, unknown>>;
  const frames = typeof stack === 'string' ? framesOf(stack) : '';
  const hasCause = cause !== undefined && depth < CAUSES_MAX;
  return {
    type: typeof name === 'string' ? hide(cut(name)) : 'Object',
    message: typeof message === 'string' ? hide(cut(message)) : '',
    ...(frames !== '' && { stack: frames }),
    ...((typeof code === 'string' || typeof code === 'number') && { code: String(code) }),
    ...(hasCause && { cause: describedError(cause, hide, depth + 1) }),
  };
}

const cut = (text: string) => text.slice(0, MESSAGE_LENGTH_MAX);

const FRAME = /^ {4}at /;

const framesOf = (stack: string) =>
  stack
    .split('\n')
    .filter((line) => FRAME.test(line))
    .join('\n');
