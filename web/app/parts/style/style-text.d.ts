/** The bundler gives the text of a style that a script imports. */
declare module '*.css' {
  export const style: string;
}
