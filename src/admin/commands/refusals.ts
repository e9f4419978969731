import { EXIT, type ExitCode } from '../../command-line/exit-codes.ts';
import { ApiError } from '../../domain/wire/errors.ts';

export const noSuchRealm = (name: string) =>
  new ApiError('NOT_FOUND', `There is no realm '${name}'`);
export const noSuchUser = (email: string) =>
  new ApiError('NOT_FOUND', `There is no user '${email}'`);
export const wrongArgument = (message: string) => new ApiError('REQUEST_VARIABLE_INVALID', message);

/** Returns the exit code of a refusal by its kind. */
export function refusalCode({ code, status }: ApiError): ExitCode {
  if (code === 'REQUEST_VARIABLE_INVALID') return EXIT.usage;
  return status === 404 ? EXIT.notFound : EXIT.refused;
}
