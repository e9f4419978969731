import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

/** The scripts and styles that are put into the page, so that it opens without a network. */
export interface Assets {
  readonly plotScript: string;
  readonly plotStyle: string;
  readonly pageScript: string;
}

/** The script of the page is compiled beside this file, for browsers: see page/tsconfig.json. */
export function readAssets(
  pageScript = fileURLToPath(new URL('./page/page.js', import.meta.url)),
): Assets {
  const { resolve } = createRequire(import.meta.url);
  return {
    plotScript: readFileSync(resolve('uplot/dist/uPlot.iife.min.js'), 'utf8'),
    plotStyle: readFileSync(resolve('uplot/dist/uPlot.min.css'), 'utf8'),
    pageScript: withoutMap(readFileSync(pageScript, 'utf8')),
  };
}

/** The compiler names a file of sources that is not there when the page is. */
const withoutMap = (script: string) => script.replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n');
