/** The pictures in messages, to look at one after another. */
import type { Message } from '../feed/message.ts';

export interface Picture {
  readonly messageId: number;
  /** The address that the message links. */
  readonly href: string;
  /** The address on this server at which the picture is fetched, as large as it is there. */
  readonly source: string;
  readonly name: string;
}

/** A picture with the link around it, as the server writes both. */
const PICTURE = /<div class="message_inline_image"><a\b([^<>]*)><img\b([^<>]*)>/g;
const HREF = /\bhref="([^"]*)"/;
const TITLE = /\btitle="([^"]*)"/;
const SOURCE = /\bsrc="([^"]*)"/;
const UPLOAD = /^\/user_uploads\//;
/** Pictures of others are fetched through this server. */
const OWN_PATH = /^\/(?![/\\])/;

/** Returns the pictures of messages in their order. */
export const picturesIn = (messages: readonly Message[], origin: string): readonly Picture[] =>
  messages.flatMap(({ id, content }) =>
    content.includes('message_inline_image')
      ? Array.from(content.matchAll(PICTURE), ([, link = '', image = '']) => {
          const href = attribute(link, HREF);
          const own = href.startsWith(`${origin}/`) ? href.slice(origin.length) : href;
          const source = UPLOAD.test(own) ? own : attribute(image, SOURCE);
          return { messageId: id, href, source, name: attribute(link, TITLE) || nameIn(href) };
        }).filter(({ source }) => OWN_PATH.test(source))
      : [],
  );

/** Returns the last part of an address. */
function nameIn(href: string): string {
  const name = href.split(/[?#]/)[0]?.split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

const attribute = (tag: string, pattern: RegExp): string =>
  (pattern.exec(tag)?.[1] ?? '').replace(ENTITY, (entity) => ENTITIES[entity] ?? entity);

const ENTITY = /&(?:amp|quot|lt|gt|#39);/g;

const ENTITIES: Readonly<Record<string, string>> = {
  __proto__: null as never,
  '&amp;': '&',
  '&quot;': '"',
  '&lt;': '<',
  '&gt;': '>',
  '&#39;': "'",
};
