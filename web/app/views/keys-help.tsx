import { Dialog } from '../parts/dialog.tsx';
import { KEYS_HELP } from '../store/keys.ts';
import { change, settings } from '../store/settings.ts';

/** All keys, and whether single letters count. */
export function KeysHelp({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title="Keys" class="keys" onClose={onClose}>
      <div class="keys-groups">
        {KEYS_HELP.map(({ title, keys }) => (
          <section key={title}>
            <h3>{title}</h3>
            <dl>
              {keys.map(([key, what]) => (
                <div key={key}>
                  <dt>
                    {key.split(' ').map((one) => (
                      <kbd key={one}>{one}</kbd>
                    ))}
                  </dt>
                  <dd>{what}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <label class="check">
        <input
          type="checkbox"
          checked={settings.value.letterKeys}
          onChange={({ currentTarget }) => change({ letterKeys: currentTarget.checked })}
        />
        Single letters are keys, outside of fields
      </label>
    </Dialog>
  );
}
