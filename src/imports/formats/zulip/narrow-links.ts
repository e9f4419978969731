import type { ChannelPiece } from '../../history.ts';
import type { Directory } from './directory.ts';

/** The part behind `#narrow/` of a link to a channel: its id with its name, a topic, a message. */
const CHANNEL =
  /^(?:channel|stream)\/(\d{1,15})(?:-([^/]*))?(?:\/(?:topic|subject)\/([^/]*))?(?:\/(?:near|with)\/(\d{1,15}))?\/?$/;
const DIRECT = /^(?:dm|pm-with)\//;

/**
 * Returns what a link within the service leads to: a channel, or plain text for direct messages,
 * whose addresses have ids of people. Null for what is the same here, or is of another server.
 */
export function linkedPlace(
  { host, narrow, label }: { host: string | undefined; narrow: string; label: string | undefined },
  { channels, subdomain }: Directory,
): ChannelPiece | string | null {
  const [, id = '', slug = '', topic, message] = CHANNEL.exec(narrow) ?? [];
  const channel = channels.get(id);
  // An export does not say the address of its server: the subdomain or the name of a channel does.
  const isOwn =
    host === undefined ||
    (subdomain !== '' && host.startsWith(`${subdomain}.`)) ||
    (channel !== undefined && slugOf(channel.name) === decoded(slug));
  if (!isOwn) return null;
  if (DIRECT.test(narrow) && label !== undefined) return label;
  if (channel === undefined) return null;
  return {
    channel: id,
    ...(topic !== undefined && { topic: decoded(topic) }),
    ...(topic !== undefined && message !== undefined && { message }),
    ...(label !== undefined && label !== '' && { label }),
  };
}

const slugOf = (name: string): string => name.replaceAll(' ', '-');

/** Names in addresses are percent-encoded with a full stop instead of the percent sign. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('%', '%25').replaceAll('.', '%'));
  } catch {
    return text;
  }
}
