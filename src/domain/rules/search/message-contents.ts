/** What a rendered message holds, for the operator `has` (reference/endpoints.md 2.1 and section 5). */

/** A link of the author's: those to channels, topics and messages are another way of naming them. */
export const hasLink = (html: string): boolean =>
  /<a (?!class="(?:stream|message-link))/.test(html);

export const hasImage = (html: string): boolean =>
  html.includes('<div class="message_inline_image"') ||
  /<a [^<>]*href="[^"?#]+\.(?:avif|bmp|gif|jpe?g|png|webp)(?:[?#][^"]*)?"/i.test(html);

export const hasAttachment = (html: string): boolean =>
  /<a [^<>]*href="(?:https?:\/\/[^/"]+)?\/user_uploads\//.test(html);

/** What `has` asks for, as bits of one number. */
export const ContentBit = { attachment: 1, image: 2, link: 4, reaction: 8 } as const;
export type ContentBit = (typeof ContentBit)[keyof typeof ContentBit];

export const CONTENTS: readonly ContentBit[] = Object.values(ContentBit);

/** All that a message holds. */
export function contentBits({
  renderedContent: html,
  hasReactions,
}: {
  readonly renderedContent: string;
  readonly hasReactions: boolean;
}): number {
  const reaction = hasReactions ? ContentBit.reaction : 0;
  // Most messages hold neither.
  if (!html.includes('<a ') && !html.includes('<div class="message_inline_image"')) return reaction;
  return (
    reaction |
    (hasAttachment(html) ? ContentBit.attachment : 0) |
    (hasImage(html) ? ContentBit.image : 0) |
    (hasLink(html) ? ContentBit.link : 0)
  );
}

/** Whether a message may link files at all: most do not, and nothing is looked up for them. */
export const mayLinkFiles = (content: string): boolean => content.includes(UPLOADS);

const UPLOADS = '/user_uploads/';
const FILE_LINK = /<a [^<>]*?href="(?:https?:\/\/([^/"]+))?\/user_uploads\/([^"?#]+)/gi;

/** Paths of the files that a rendered message links here: by themselves, or at one of these hosts. */
export function linkedFiles(html: string, hosts: readonly string[]): string[] {
  const paths = new Set<string>();
  for (const [, host, path = ''] of html.matchAll(FILE_LINK)) {
    if (host !== undefined && !hosts.includes(host.toLowerCase())) continue;
    const decoded = decodedPath(path);
    if (decoded !== undefined) paths.add(decoded);
  }
  return [...paths];
}

function decodedPath(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}
