import type { ComponentChildren } from 'preact';

export interface Column {
  readonly title: string;
  readonly isNumber?: boolean;
  /** The column of buttons: its title is for readers of screens only. */
  readonly isHidden?: boolean;
}

interface TableProps {
  /** A title for readers of screens. */
  readonly caption: string;
  readonly columns: readonly Column[];
  readonly rows: readonly { readonly key: string; readonly cells: readonly ComponentChildren[] }[];
  /** A sentence for where there are no rows. */
  readonly nothing: string;
}

/** A table that scrolls by itself where it is wider than the page. */
export function Table({ caption, columns, rows, nothing }: TableProps) {
  if (rows.length === 0) return <p class="faint">{nothing}</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached by keys.
    <section class="scroll" aria-label={caption} tabIndex={0}>
      <table>
        <caption class="unseen">{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ title, isNumber, isHidden }) => (
              <th key={title} scope="col" class={isNumber ? 'number' : ''}>
                <span class={isHidden ? 'unseen' : ''}>{title}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, cells }) => (
            <tr key={key}>
              {cells.map((cell, index) => {
                const { title = '', isNumber } = columns[index] ?? {};
                if (index > 0) {
                  return (
                    <td key={title} class={isNumber ? 'number' : ''}>
                      {cell}
                    </td>
                  );
                }
                return (
                  <th key={title} scope="row">
                    {cell}
                  </th>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** Says why something is not there yet, or not at all. */
export function Loading({ fault }: { readonly fault: string | null }) {
  if (fault === null) return <p class="faint">Loading …</p>;
  return (
    <p class="alert" role="alert">
      {fault}
    </p>
  );
}
