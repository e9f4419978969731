import { verifyNightly } from '../marks/nightly.ts';
import { openVerification } from '../marks/verification.ts';
import type { Members } from '../nodes/members.ts';
import type { Node } from './declaration.ts';
import type { Joined } from './joined.ts';

/** Compares copies, when it is asked for and at night. */
export function comparingOf(joined: Joined, members: Members): Pick<Node, 'verify' | 'verifyDue'> {
  const { input, founding } = joined;
  const { bus, values } = input.store;
  const verify = openVerification({ bus, known: members.known });
  const nightly = verifyNightly({
    clock: input.clock,
    values,
    shards: founding.shards,
    isOwned: (number) => joined.slots?.held(number)?.isOwned() === true,
    verify,
    onVerified: input.onVerified,
    onFailed: input.onNotVerified,
  });
  joined.nightly = nightly;
  return { verify, verifyDue: nightly.look };
}

export const upgradingOf = (
  { input, name, schemas, founding, slots }: Joined,
  members: Members,
) => ({
  bus: input.store.bus,
  node: name,
  schemas,
  members,
  shards: () =>
    Array.from({ length: founding.shards }, (_, number) => ({
      number,
      schema: () => slots?.held(number)?.schema(),
    })),
});
