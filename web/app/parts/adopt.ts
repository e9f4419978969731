const sheetOf = (style: string): CSSStyleSheet => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(style);
  return sheet;
};

/**
 * Adds the style of a part that is loaded later. It comes with the script of the part, so that
 * nothing is shown without it.
 */
export function adopt(style: string): void {
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheetOf(style)];
}

/** The same for a style that the others override. */
export function adoptFirst(style: string): void {
  document.adoptedStyleSheets = [sheetOf(style), ...document.adoptedStyleSheets];
}
