import { z } from 'zod';
import { basicAuthorization, callOnce } from '../load/api.ts';
import type { Address } from '../load/stream.ts';
import { demoOwner } from '../servers/demo.ts';
import type { Setting, Target } from '../suite/context.ts';
import { WrongOption } from '../suite/options.ts';
import { readIrcMessages } from './irc.ts';

/** Looks at what the command line names, before minutes are spent on it. Throws a `WrongOption` of one line. */
export async function lookAtGiven({ target, messages }: Setting): Promise<void> {
  if (target !== undefined) await lookAtServer(target);
  if (messages === undefined) return;
  const [first] = await orWrong(`--messages ${messages}`, () => readIrcMessages(messages, 1));
  if (first === undefined) throw new WrongOption(`--messages ${messages}: it has no lines`);
}

async function lookAtServer({ url, credentials }: Target): Promise<void> {
  const address = addressIn(url);
  const owner = await orWrong(`--credentials ${credentials}`, () => demoOwner(credentials));
  await orWrong(`--url: ${url} does not know the owner of ${credentials}`, () =>
    callOnce(address, {
      method: 'GET',
      path: '/users/me',
      authorization: basicAuthorization(owner),
    }),
  );
}

async function orWrong<Value>(what: string, act: () => Value | Promise<Value>): Promise<Value> {
  try {
    return await act();
  } catch (error) {
    throw new WrongOption(`${what}: ${reasonOf(error)}`);
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof z.ZodError) return z.prettifyError(error);
  return error instanceof Error ? error.message : String(error);
}

/** Throws a `WrongOption` where it is no address of plain HTTP. */
export function addressIn(url: string): Address {
  if (!URL.canParse(url)) {
    throw new WrongOption(`--url: ${url} is no address as http://chat.example.com:8080`);
  }
  const { hostname, port, protocol } = new URL(url);
  if (protocol !== 'http:') {
    throw new WrongOption(`--url: the load speaks plain HTTP, not ${protocol}`);
  }
  return { host: hostname, port: Number(port || 80) };
}
