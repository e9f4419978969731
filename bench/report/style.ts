/** Light and dark by the wish of the reader; the plots take their colours from the same names. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --paper: #fdfdfc; --ink: #1c1e21; --faint: #6a7078; --line: #dfe2e6; --panel: #f4f5f7;
  --good: #1a7f47; --bad: #c0392b; --warn: #96690a;
  --line-0: #2563c9; --line-1: #8a8f98; --line-2: #d9730d; --line-3: #7a4fc4; --line-4: #16877d; --line-5: #c2407e;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #16181b; --ink: #e6e8ea; --faint: #9aa1aa; --line: #33383e; --panel: #1f2226;
    --good: #58c98b; --bad: #f0796b; --warn: #e0b050;
    --line-0: #6aa3ff; --line-1: #a4abb5; --line-2: #ffa24d; --line-3: #b79bf2; --line-4: #54c7bb; --line-5: #f08abb;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
header, main { max-width: 76rem; margin: 0 auto; padding: 0 1.25rem; }
h1 { margin: 1.5rem 0 .5rem; font-size: 1.9rem; }
h2 { margin: 2.5rem 0 .5rem; padding-top: .75rem; border-top: 1px solid var(--line); font-size: 1.4rem; }
h3 { margin: 1.5rem 0 .25rem; font-size: 1.1rem; }
h4 { margin: 1.25rem 0 0; font-size: 1rem; }
p { max-width: 52rem; margin: .4rem 0 .8rem; }
a { color: var(--line-0); }
nav a { display: inline-block; margin-right: .8rem; }
.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(20rem, 1fr)); gap: .2rem 2rem; margin: 0 0 1rem; }
.facts div { display: flex; gap: .6rem; }
dt { color: var(--faint); min-width: 5rem; }
dd { margin: 0; }
.lead { font-size: 1.1rem; }
.small, .spread { color: var(--faint); font-size: .85rem; }
.warning, .fault, .note { padding: .5rem .8rem; background: var(--panel); border-left: 4px solid var(--faint); max-width: none; }
.warning { border-color: var(--warn); }
.fault { border-color: var(--bad); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: .9rem; min-width: 40rem; }
th, td { padding: .25rem .8rem .25rem 0; text-align: left; border-bottom: 1px solid var(--line); vertical-align: top; }
th { color: var(--faint); font-weight: 500; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; position: relative; padding-left: .8rem; }
.bar { position: absolute; left: .4rem; bottom: 1px; height: 3px; max-width: calc(100% - 1.2rem); background: var(--line-2); opacity: .8; }
.bar.confab { background: var(--line-0); }
.bar.baseline { background: var(--line-1); }
.verdict { white-space: nowrap; }
tr.good .verdict { color: var(--good); }
tr.bad .verdict { color: var(--bad); font-weight: 600; }
details { margin: 1rem 0; }
summary { cursor: pointer; }
.curves, .plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(30rem, 100%), 1fr)); gap: 1rem; margin: 1rem 0; }
figure { margin: 0; padding: .75rem; background: var(--panel); border-radius: 6px; min-width: 0; }
figcaption { font-weight: 600; margin-bottom: .25rem; }
figcaption small { display: block; color: var(--faint); font-weight: 400; }
.keys { display: flex; flex-wrap: wrap; gap: .1rem 1rem; margin: .25rem 0; font-size: .85rem; }
.keys span::before { content: ''; display: inline-block; width: 1.2rem; border-top: 3px var(--dash, solid) var(--key); margin-right: .35rem; vertical-align: middle; }
.chooser { display: flex; flex-wrap: wrap; gap: .6rem; align-items: center; }
select { font: inherit; color: inherit; background: var(--paper); border: 1px solid var(--line); border-radius: 4px; padding: .2rem .4rem; max-width: 100%; }
.uplot { font-family: inherit; }
.u-legend { display: none; }
@media print { nav, .chooser { display: none; } }
`;
