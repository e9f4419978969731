interface Question<Reply> {
  /** Never rejects. */
  readonly answer: () => Promise<Reply>;
  /** Hands the reply on. */
  readonly tell: (reply: Reply) => void;
  /** Tells whether it may begin while questions of this kind before it have no answer yet. */
  readonly mayOverlap: boolean;
}

/**
 * Answers the questions of one connection, in their order. A question begins when all before it are
 * answered; of those that may overlap, up to `atOnceMax` are under way at once, begun in order.
 */
export function openAnswers({ atOnceMax }: { readonly atOnceMax: number }) {
  let begun: Promise<unknown> = Promise.resolve();
  let answered: Promise<unknown> = Promise.resolve();
  /** The newest replies of questions that overlap, the oldest first. */
  let overlapping: Promise<unknown>[] = [];
  return {
    add<Reply>({ answer, tell, mayOverlap }: Question<Reply>) {
      if (!mayOverlap) overlapping = [];
      const room = overlapping.length > 0 && overlapping.length < atOnceMax;
      begun = Promise.all([begun, room ? undefined : (overlapping.shift() ?? answered)]);
      const reply = begun.then(answer);
      if (mayOverlap) overlapping.push(reply);
      answered = Promise.all([reply, answered]).then(([made]) => tell(made));
    },
  };
}
