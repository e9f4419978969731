import { sendPart } from '../../net/uploads.ts';
import { openWriting, writing } from '../../store/compose/writing.ts';
import { conversations } from '../../store/conversations.ts';
import { say } from '../../store/notices.ts';
import type { Narrow } from '../../store/route.ts';
import { Compose } from './compose.tsx';

export { openWriting, writing };

export const files = {
  send: sendPart,
  keepOf: async (account: string) => (await import('../../net/kept-files.ts')).keepFilesOf(account),
};

/** The field of the account that is open. */
export function Writing({ narrow }: { readonly narrow: Narrow }) {
  const open = conversations.value;
  const store = writing.value;
  if (open === null || store === null) return null;
  return <Compose store={store} feed={open.feed} narrow={narrow} say={sayOutcome} />;
}

const sayOutcome = (text: string, isFault = false) => say(text, { isFault });
