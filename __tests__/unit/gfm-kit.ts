/** GitHub-flavoured Markdown by a renderer that follows its specification, and what is left of it as text and tags. */
import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';

export const renderGfm = (markdown: string): string =>
  micromark(markdown, { extensions: [gfm()], htmlExtensions: [gfmHtml()], allowDangerousHtml: true });

/** Every tag with its attributes, as written. */
export const tagsOf = (html: string): readonly string[] => html.match(/<[a-z/!][^>]*>/gi) ?? [];

const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', nbsp: '\u00a0' };

/** What a reader sees: tags away, references decoded, the word joiners that only break GitHub's own patterns taken out. */
export const textOf = (html: string): string =>
  html
    .replace(/<[a-z/!][^>]*>/gi, '')
    .replace(/&(?:#(\d+)|#x([0-9a-f]+)|(\w+));/gi, (whole, dec?: string, hex?: string, named?: string) =>
      dec
        ? String.fromCodePoint(Number(dec))
        : hex
          ? String.fromCodePoint(Number.parseInt(hex, 16))
          : (NAMED[named ?? ''] ?? whole),
    )
    .replace(/\u2060/g, '');
