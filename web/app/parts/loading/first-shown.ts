let resolve: () => void = () => undefined;

/** Resolves when messages, or another view, are shown: what is not needed for that comes then. */
export const firstShown = new Promise<void>((done) => {
  resolve = done;
});

/** A view is shown. */
export const noteShown = (): void => resolve();
