/** What a rendered message holds, for the operator `has` (reference/endpoints.md 2.1 and section 5). */

/** A link of the author's: those to channels, topics and messages are another way of naming them. */
export const hasLink = (html: string): boolean =>
  /<a (?!class="(?:stream|message-link))/.test(html);

export const hasImage = (html: string): boolean =>
  html.includes('<div class="message_inline_image"') ||
  /<a [^>]*href="[^"?#]+\.(?:avif|bmp|gif|jpe?g|png|webp)(?:[?#][^"]*)?"/i.test(html);

export const hasAttachment = (html: string): boolean =>
  /<a [^>]*href="(?:https?:\/\/[^/"]+)?\/user_uploads\//.test(html);
