import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { attempt, useFeed } from './context.ts';
import '../../parts/style/beside-style.ts';

/** A field in the place of a message's text, to change it. */
export function MessageEditor() {
  const scope = useFeed();
  const { acts, changing } = scope.store;
  const editing = acts.editing.value;
  const [text, setText] = useState(editing?.content ?? '');
  const field = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => {
    const area = field.current;
    area?.focus();
    area?.setSelectionRange(area.value.length, area.value.length);
    const message = area?.closest('article');
    // The focus stays at the message, so that keys go on from there.
    return () => {
      changing.stop();
      if (message?.contains(document.activeElement)) message.focus({ preventScroll: true });
    };
  }, []);
  if (editing === null) return null;
  // A key may be pressed before the last letter is rendered.
  const save = () => attempt(scope, acts.edit(editing.id, field.current?.value ?? text));
  return (
    <div class="editor">
      <textarea
        ref={field}
        class="growing"
        aria-label="The text of the message"
        value={text}
        rows={Math.min(12, text.split('\n').length + 1)}
        onInput={({ currentTarget }) => {
          setText(currentTarget.value);
          changing.typed(editing.id);
        }}
        onKeyDown={(event) => {
          const isSend = event.key === 'Enter' && (event.ctrlKey || event.metaKey);
          if (!isSend && event.key !== 'Escape') return;
          event.preventDefault();
          event.stopPropagation();
          if (isSend) save();
          else acts.endEdit();
        }}
      />
      <div class="buttons">
        <button type="button" class="first" disabled={text.trim() === ''} onClick={save}>
          Save
        </button>
        <button type="button" onClick={() => acts.endEdit()}>
          Cancel
        </button>
        <span class="muted">Ctrl Enter saves, Esc leaves it as it was</span>
      </div>
    </div>
  );
}
