/** Loads what shows messages and sends them, once. */
export const loadNarrowView = async () => {
  loading ??= import('./narrow-view.tsx').then(({ NarrowView, openNarrowView }) => {
    openNarrowView();
    return NarrowView;
  });
  return await loading;
};

let loading: Promise<typeof import('./narrow-view.tsx')['NarrowView']> | undefined;
