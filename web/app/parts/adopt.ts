/**
 * Adds the style of a part that is loaded later. It comes with the script of the part, so that
 * nothing is shown without it.
 */
export function adopt(style: string): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(style);
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
}
