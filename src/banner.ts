import { resolve } from 'node:path';
import { credentialsFile, type DemoCredentials } from './admin/demo-file.ts';

interface BannerInput {
  readonly url: string;
  /** True if a browser gets the web client there. */
  readonly servesWeb: boolean;
  readonly data: string;
  readonly demo: DemoCredentials | undefined;
}

/**
 * Returns the text that a new operator sees: the address, and with a demo realm how to log in, and
 * lines to paste into a shell. They read the key from its file, because what a server prints stays
 * in logs and terminals.
 */
export function banner({ url, servesWeb, data, demo }: BannerInput): string {
  const address = `confab is ready at ${url}\n`;
  const member = demo?.users.find((user) => user.role === 'member' && !user.is_bot);
  if (demo === undefined || member === undefined) return address;
  const api = demo.base_url;
  const key = String.raw`/"${member.email}"/,/"api_key"/s/.*"api_key": "([0-9a-f]*)".*/\1/p`;
  const position = String.raw`s/.*"queue_id":"([^"]*)","last_event_id":(-?[0-9]+).*/queue_id=\1\&last_event_id=\2/`;
  const web = servesWeb ? 'Open it in a browser and log in as one of the demo people.\n\n' : '';
  return `${address}
${web}These lines register a queue, send a message and poll. The keys of all demo users are in ${credentialsFile(data)}.

U=${member.email}:$(sed -nE ${quoted(key)} ${quoted(credentialsFile(resolve(data)))})
Q=$(curl -sS -u "$U" -X POST ${api}/register -d 'event_types=["message"]' | sed -E ${quoted(position)}); echo "$Q"
curl -sS -u "$U" -X POST ${api}/messages -d type=channel -d to=general -d topic=hello --data-urlencode 'content=Hello, **world**!'
curl -sS -u "$U" "${api}/events?$Q"

`;
}

/** Quotes a text as one word of a shell. */
const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;
