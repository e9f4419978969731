import { isBeyond, Tile, type TileProps } from '../parts/tile.tsx';
import { latest, records, series } from '../store/live.ts';
import { Records } from './log.tsx';

const GROUPS: readonly { readonly title: string; readonly tiles: readonly TileProps[] }[] = [
  {
    title: 'Traffic',
    tiles: [{ name: 'sends' }, { name: 'deliveries' }, { name: 'requests' }, { name: 'failed' }],
  },
  {
    title: 'Time',
    tiles: [
      { name: 'commit99', also: ['commit50', 'p50'] },
      { name: 'delivery99' },
      { name: 'answer99', also: ['answer50', 'p50'] },
      { name: 'loop99' },
    ],
  },
  {
    title: 'Listeners',
    tiles: [
      { name: 'sockets' },
      { name: 'polls' },
      { name: 'detached', also: ['attached', 'attached'] },
      { name: 'behind' },
    ],
  },
  {
    title: 'Machine',
    tiles: [
      { name: 'cpu' },
      { name: 'rss' },
      { name: 'diskFree', alertOf: 'diskShare', also: ['diskShare', ''] },
      { name: 'waiting' },
    ],
  },
];

const RECORDS_SHOWN = 6;
const GRAVE = ['warn', 'error', 'fatal'];

/** Shows the server in this second. */
export function NowView() {
  const beyond = series.value.filter(({ name, alert }) => isBeyond(alert, latest(name)));
  const grave = records.value.filter(({ level }) => GRAVE.includes(level));
  return (
    <>
      {beyond.map(({ name, alert }) => (
        <p key={name} class="alert">
          <strong>{alert?.name}</strong> {alert?.summary}
        </p>
      ))}
      <div class="groups">
        {GROUPS.map(({ title, tiles }) => (
          <section key={title}>
            <h2>{title}</h2>
            <ul class="tiles">
              {tiles.map((tile) => (
                <Tile key={tile.name} {...tile} />
              ))}
            </ul>
          </section>
        ))}
      </div>
      <h2>Warnings and errors in the log</h2>
      <Records
        records={grave.slice(-RECORDS_SHOWN).reverse()}
        nothing="There are none since the start."
      />
    </>
  );
}
