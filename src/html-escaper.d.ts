/** html-escaper carries no types of its own. */
declare module 'html-escaper' {
  export function escape(text: string): string;
  export function unescape(text: string): string;
}
