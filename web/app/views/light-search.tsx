import { useRef } from 'preact/hooks';
import { Icon } from '../parts/icon.tsx';
import { light } from '../parts/loading/light.tsx';
import { useCommand } from '../parts/use-command.ts';

/** The field for a search as it looks until the part that searches is loaded. */
function LightSearch() {
  const field = useRef<HTMLInputElement>(null);
  useCommand('search', () => field.current?.focus());
  return (
    <search class="search idle">
      <Icon name="search" />
      <input
        ref={field}
        type="text"
        role="combobox"
        inputMode="search"
        enterkeyhint="search"
        aria-label="Search"
        aria-keyshortcuts="/"
        aria-expanded={false}
        placeholder="Search"
        autocomplete="off"
        spellcheck={false}
        onKeyDown={(event) => {
          if (event.key === 'Enter') event.preventDefault();
        }}
      />
    </search>
  );
}

export const SearchBox = light(async () => (await import('./search-box.tsx')).SearchBox, {
  form: LightSearch,
  selector: '.search',
});
