import type { Alerted } from '../../../src/console/wire.ts';
import { shown } from '../format.ts';
import { indexOf, latest, samples, series } from '../store/live.ts';
import { Spark } from './spark.tsx';

/** Tests whether a value is beyond the bound of its alert. */
export const isBeyond = (alert: Alerted | null, value: number | null): boolean =>
  alert !== null && value !== null && (alert.isAbove ? value > alert.bound : value < alert.bound);

export interface TileProps {
  readonly name: string;
  /** The series whose alert the tile shows, if it is not its own. */
  readonly alertOf?: string;
  /** Another series in small letters, and the word for it. */
  readonly also?: readonly [name: string, word: string];
}

/** One number of now, with its last quarter of an hour and the colour of its alert. */
export function Tile({ name, alertOf = name, also }: TileProps) {
  const spec = series.value.find((one) => one.name === name);
  const alerting = series.value.find((one) => one.name === alertOf);
  if (spec === undefined) return null;
  const isBad = isBeyond(alerting?.alert ?? null, latest(alertOf));
  const more = also === undefined ? null : series.value.find((one) => one.name === also[0]);
  return (
    <li class={isBad ? 'tile bad' : 'tile'}>
      <h3>{spec.label}</h3>
      <p class="value">
        {shown(latest(name), spec.unit)}
        {more ? (
          <small>
            {' '}
            {also?.[1]} {shown(latest(more.name), more.unit)}
          </small>
        ) : null}
      </p>
      <Spark samples={samples.value} index={indexOf(name)} />
      {isBad ? <p class="why">{alerting?.alert?.summary}</p> : null}
    </li>
  );
}
