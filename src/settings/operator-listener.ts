import { z } from 'zod';
import { isLoopback } from './addresses.ts';
import { ConfigError, orNull, type Read, variable } from './reading.ts';

/** An address of the operator's listener: a port of this machine, or the path of a socket. */
export interface OperatorAddress {
  readonly host: string;
  readonly port: number;
  readonly path: string | null;
  /** The file of the token that is asked for; null: nobody else reaches the address. */
  readonly tokenFile: string | null;
  /** True for the default: the server does without if another one has it. */
  readonly isUsual: boolean;
}

const OPERATOR = '127.0.0.1:8081';

/** Other machines may reach the operator's listener only with a token. */
export function operatorAddress(): Read<OperatorAddress | null> {
  const readAddress = variable('CONFAB_OPERATOR', z.string().default(''));
  const readTokenFile = variable('CONFAB_OPERATOR_TOKEN_FILE', orNull(z.string()));
  return (env) => addressOfOperator(readAddress(env), readTokenFile(env));
}

function addressOfOperator(said: string, tokenFile: string | null): OperatorAddress | null {
  if (said === '0' || said === 'off') return null;
  const isUsual = said === '' || said === OPERATOR;
  if (said.startsWith('/')) {
    return Object.freeze({ host: '', port: 0, path: said, tokenFile, isUsual });
  }
  const [, host = '', digits = ''] =
    /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]]+)):(\d{1,5})$/
      .exec(isUsual ? OPERATOR : said)
      ?.filter((part) => part !== undefined) ?? [];
  const port = Number(digits);
  if (host === '' || port > 65_535) {
    throw new ConfigError('CONFAB_OPERATOR is no address like 127.0.0.1:8081, no path and not off');
  }
  if (!isLoopback({ host }) && tokenFile === null) {
    throw new ConfigError(
      'CONFAB_OPERATOR lets other machines in, so it needs CONFAB_OPERATOR_TOKEN_FILE',
    );
  }
  return Object.freeze({ host, port, path: null, tokenFile, isUsual });
}
