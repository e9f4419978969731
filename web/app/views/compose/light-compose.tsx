import { useLayoutEffect, useRef } from 'preact/hooks';
import { Icon } from '../../parts/icon.tsx';
import { useCommand } from '../../parts/use-command.ts';
import { app } from '../../store/app.ts';
import { destinationIn, destinationKey, destinationOf } from '../../store/compose/destination.ts';
import { directoryOfApp } from '../../store/feed/directory-of-app.ts';
import { keyOf, type Narrow, type Place, placeOf } from '../../store/route.ts';
import { destinationName } from './destination-name.ts';

/**
 * The field where one writes, as it looks and as it takes keys until the part with all that it can
 * is loaded. Names of fields and buttons are the same there.
 */
export function LightCompose({ narrow }: { readonly narrow: Narrow }) {
  const place = placeOf(narrow);
  const area = useRef<HTMLTextAreaElement>(null);
  const text = draftAt(place);
  // A text that was typed goes along; a draft of another place does not.
  const before = useRef(text);
  useLayoutEffect(() => {
    if (area.current?.value === before.current) area.current.value = text;
    before.current = text;
  }, [keyOf(narrow)]);
  useCommand('compose', () => area.current?.focus());
  const isEnter = directoryOfApp.setting('enter_sends') === true;
  return (
    <section class="compose" aria-label="Write a message" aria-busy="true">
      <p class="typing" />
      <form class="compose-box">
        {place === null || place.kind === 'channel' ? <LightDestination place={place} /> : null}
        <div class="compose-field">
          <textarea
            ref={area}
            class="growing"
            rows={1}
            aria-label="Message"
            placeholder={`Message ${destinationName(destinationOf(place), directoryOfApp)}`}
            defaultValue={text}
            onKeyDown={(event) => {
              const { key, ctrlKey, metaKey, shiftKey, isComposing } = event;
              const isSend = key === 'Enter' && !shiftKey && (isEnter || ctrlKey || metaKey);
              if (isSend && !isComposing) event.preventDefault();
            }}
          />
        </div>
        <div class="compose-bar">
          <button type="button" class="icon" aria-label="Attach files">
            <Icon name="file" />
          </button>
          <button type="button" class="quiet" disabled>
            Preview
          </button>
          <span class="hint">{isEnter ? 'Enter' : 'Ctrl Enter'} sends</span>
          <button type="button" class="icon" aria-label="Put in an emoji">
            <Icon name="smile" />
          </button>
          <button type="button" class="icon" aria-label="Post later" disabled>
            <Icon name="clock" />
          </button>
          <button type="submit" class="first send" disabled={text === ''} aria-label="Send">
            <Icon name="send" />
          </button>
        </div>
      </form>
    </section>
  );
}

/** Returns what was written there and not sent, as the server has it. */
function draftAt(place: Place | null): string {
  const key = destinationKey(destinationOf(place));
  let newest = { timestamp: 0, content: '' };
  if (place === null) return newest.content;
  for (const draft of app.read('drafts').drafts.values()) {
    const to = destinationIn(draft);
    if (to !== null && destinationKey(to) === key && draft.timestamp >= newest.timestamp) {
      newest = draft;
    }
  }
  return newest.content;
}

function LightDestination({ place }: { readonly place: Place | null }) {
  const channel = place?.kind === 'channel' ? directoryOfApp.channel(place.channelId) : undefined;
  return (
    <div class="destination">
      <select aria-label="Where the message goes">
        <option>{channel === undefined ? 'Choose a channel' : `#${channel.name}`}</option>
      </select>
      <span class="arrow" aria-hidden="true">
        ›
      </span>
      <input class="topic" aria-label="Topic" placeholder="Topic" />
    </div>
  );
}
