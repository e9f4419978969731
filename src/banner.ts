import { credentialsFile, type DemoCredentials } from './admin/demo.ts';

interface Told {
  readonly url: string;
  readonly data: string;
  readonly demo: DemoCredentials | undefined;
}

/** What a newcomer sees: the address, and with a demo realm three lines to paste into a shell. */
export function banner({ url, data, demo }: Told): string {
  const address = `confab is ready at ${url}\n`;
  const member = demo?.users.find((user) => user.role === 'member' && !user.is_bot);
  if (demo === undefined || member === undefined) return address;
  const curl = `curl -sS -u '${member.email}:${member.api_key}'`;
  const api = demo.base_url;
  const position = `s/.*"queue_id":"([^"]*)","last_event_id":(-?[0-9]+).*/queue_id=\\1\\&last_event_id=\\2/`;
  return `${address}
Try it: register a queue, send a message, poll. The keys of all demo users are in ${credentialsFile(data)}.

Q=$(${curl} -X POST ${api}/register -d 'event_types=["message"]' | sed -E '${position}'); echo "$Q"
${curl} -X POST ${api}/messages -d type=channel -d to=general -d topic=hello --data-urlencode 'content=Hello, **world**!'
${curl} "${api}/events?$Q"

`;
}
