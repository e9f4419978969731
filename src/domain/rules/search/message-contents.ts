/**
 * Detects what a rendered message contains, for the operator `has` (reference/endpoints.md 2.1 and
 * section 5).
 */

/**
 * Counts only links of the author: links to channels, topics and messages are a way of naming them.
 */
export const hasLink = (html: string): boolean =>
  /<a (?!class="(?:stream|message-link))/.test(html);

export const hasImage = (html: string): boolean =>
  html.includes('<div class="message_inline_image"') ||
  /<a [^<>]*href="[^"?#]+\.(?:avif|bmp|gif|jpe?g|png|webp)(?:[?#][^"]*)?"/i.test(html);

export const hasAttachment = (html: string): boolean =>
  /<a [^<>]*href="(?:https?:\/\/[^/"]+)?\/user_uploads\//.test(html);

/** The operands of `has`, as bits of one number. */
export const ContentBit = { attachment: 1, image: 2, link: 4, reaction: 8 } as const;
export type ContentBit = (typeof ContentBit)[keyof typeof ContentBit];

export const CONTENTS: readonly ContentBit[] = Object.values(ContentBit);

/** Returns the bits of everything that a message contains. */
export function contentBits({
  renderedContent: html,
  hasReactions,
}: {
  readonly renderedContent: string;
  readonly hasReactions: boolean;
}): number {
  const reaction = hasReactions ? ContentBit.reaction : 0;
  // Most messages contain neither.
  if (!html.includes('<a ') && !html.includes('<div class="message_inline_image"')) return reaction;
  return (
    reaction |
    (hasAttachment(html) ? ContentBit.attachment : 0) |
    (hasImage(html) ? ContentBit.image : 0) |
    (hasLink(html) ? ContentBit.link : 0)
  );
}

/**
 * Tests quickly whether a message may link files: most do not, and nothing is looked up for them.
 */
export const mayLinkFiles = (content: string): boolean => content.includes(UPLOADS);

const UPLOADS = '/user_uploads/';
const FILE_LINK = /<a [^<>]*?href="(?:https?:\/\/([^/"]+))?\/user_uploads\/([^"?#]+)/gi;

/**
 * Returns the paths of the files that a rendered message links on this server: relative links, or
 * links to one of these hosts.
 */
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
