import type { Signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import './style/beside-style.ts';

export interface FiltersProps<Key extends string> {
  /** A question for those who do not see the buttons beside each other. */
  readonly legend: string;
  readonly options: readonly (readonly [Key, words: string])[];
  readonly value: Key;
  readonly onChange: (value: Key) => void;
}

/** Buttons of which one is pressed. */
export const Filters = <Key extends string>(props: FiltersProps<Key>) => (
  <fieldset class="filters">
    <legend class="unseen">{props.legend}</legend>
    {props.options.map(([key, words]) => (
      <button
        key={key}
        type="button"
        aria-pressed={props.value === key}
        onClick={() => props.onChange(key)}
      >
        {words}
      </button>
    ))}
  </fieldset>
);

export interface FilterBarProps<Key extends string> {
  /** Names the things in the list, such as `channels`. */
  readonly of: string;
  readonly text: Signal<string>;
  readonly options: readonly (readonly [Key, words: string])[];
  readonly filter: Signal<Key>;
  /** Buttons for what a list can get. */
  readonly children?: ComponentChildren;
}

/** A bar above a list: a field for a part of the name, and filters. */
export const FilterBar = <Key extends string>(props: FilterBarProps<Key>) => (
  <div class="later-bar">
    <input
      type="search"
      aria-label={`Filter ${props.of}`}
      placeholder={`Filter ${props.of}`}
      value={props.text.value}
      onInput={({ currentTarget }) => {
        props.text.value = currentTarget.value;
      }}
    />
    <Filters
      legend={`Which ${props.of}`}
      options={props.options}
      value={props.filter.value}
      onChange={(value) => {
        props.filter.value = value;
      }}
    />
    {props.children}
  </div>
);

/** Tells how many of a long list are not shown. */
export const HowManyMore = ({ count }: { readonly count: number }) =>
  count > 0 ? <p class="muted">{count} more have no room here: write a part of the name.</p> : null;
