/** The library has no types of its own. */
declare module 'wink-porter2-stemmer' {
  /**
   * The stem of an English word in small letters, by the algorithm of Porter called English or
   * Porter2.
   */
  function stem(word: string): string;
  export = stem;
}
