import { z } from 'zod';
import { ConfigError, type Read, variable } from './reading.ts';

/** The address at which mails are received. */
export interface MailInAddress {
  readonly host: string;
  readonly port: number;
}

/** Mails are received at `host:port`; by default nowhere. */
export function mailInAddress(): Read<MailInAddress | null> {
  const read = variable('CONFAB_MAIL_IN', z.string().default(''));
  return (env) => {
    const said = read(env);
    if (said === '') return null;
    const [, bracketed, plain, digits = ''] =
      /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]]+)):(\d{1,5})$/.exec(said) ?? [];
    const host = bracketed ?? plain;
    const port = Number(digits);
    if (host === undefined || port > 65_535) {
      throw new ConfigError('CONFAB_MAIL_IN is no address like 127.0.0.1:2525');
    }
    return Object.freeze({ host, port });
  };
}
