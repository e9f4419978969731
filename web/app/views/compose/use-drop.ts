import { useEffect, useRef, useState } from 'preact/hooks';

/** Fields for a file take what is dropped onto them by themselves. */
const isField = ({ target }: Event) => target instanceof HTMLInputElement && target.type === 'file';

/** Tells of a drag with files to the page; one behind a dialog takes none. */
const isForPage = (event: DragEvent): boolean =>
  event.dataTransfer?.types.includes('Files') === true &&
  !isField(event) &&
  document.querySelector('dialog:modal') === null;

/**
 * Takes files that are dropped anywhere on the page, and tells whether some are held over it.
 * Without it, the browser would leave the page and open the file.
 */
export function useDrop(onFiles: (files: readonly File[]) => void): boolean {
  const latest = useRef(onFiles);
  latest.current = onFiles;
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    const over = (event: DragEvent) => {
      if (!isForPage(event)) return;
      event.preventDefault();
      if (event.dataTransfer !== null) event.dataTransfer.dropEffect = 'copy';
      setOver(true);
    };
    const leave = ({ relatedTarget }: DragEvent) => {
      if (relatedTarget === null) setOver(false);
    };
    const drop = (event: DragEvent) => {
      setOver(false);
      if (!isForPage(event)) return;
      event.preventDefault();
      const files = [...(event.dataTransfer?.files ?? [])];
      if (files.length > 0) latest.current(files);
    };
    addEventListener('dragover', over);
    addEventListener('dragleave', leave);
    addEventListener('drop', drop);
    return () => {
      removeEventListener('dragover', over);
      removeEventListener('dragleave', leave);
      removeEventListener('drop', drop);
    };
  }, []);
  return isOver;
}
