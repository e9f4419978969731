import fc from 'fast-check';
import type { Reply } from '../client.ts';
import type { TestServer } from '../start-server.ts';

export type Act<Answer = Reply> = (server: TestServer) => Promise<Answer>;

/** Something to do with random values, which a failure prints. */
export function acts<Values extends object, Answer>(
  what: string,
  values: { [Name in keyof Values]: fc.Arbitrary<Values[Name]> },
  run: (server: TestServer, values: Values) => Promise<Answer>,
): fc.Arbitrary<Act<Answer>> {
  return fc.record(values).map((chosen): Act<Answer> => {
    const act: Act<Answer> = (server) => run(server, chosen);
    return Object.assign(act, { [fc.toStringMethod]: () => `${what} ${JSON.stringify(chosen)}` });
  });
}
