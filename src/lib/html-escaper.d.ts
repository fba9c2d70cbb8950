/** html-escaper carries no types of its own. */
declare module 'html-escaper' {
  /** Text with `& < > ' "` as references. */
  const escapeText: (text: string) => string;

  export { escapeText as escape };
}
