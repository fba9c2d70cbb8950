/** What the page may hold and where its viewer comes from. */

/** Compressed bytes of all embedded snapshots together; a page far larger than this opens slowly. */
export const EMBED_LIMIT = 32 * 2 ** 20;

/**
 * torch's own viewer, where torch's own `_memory_viz.py` takes it from, and where that script takes its parts
 * from.
 */
export const DEFAULT_VIEWER: Viewer = {
  url: 'https://cdn.jsdelivr.net/gh/pytorch/pytorch@main/torch/utils/viz/MemoryViz.js',
  origins: ['https://cdn.jsdelivr.net', 'https://cdn.skypack.dev'],
};

export interface Viewer {
  /** Address of a module that exports `add_local_files([{name, base64}], view)`. */
  readonly url: string;
  /** Origins that scripts may come from, once the button was pressed. */
  readonly origins: readonly string[];
}

/** A snapshot's bytes, gzipped and in base64; never looked into. */
export interface EmbeddedSnapshot {
  readonly file: string;
  readonly gzipBase64: string;
}

export interface PageOptions {
  readonly snapshots?: readonly EmbeddedSnapshot[];
  /** null: no button, only the download. */
  readonly viewer?: Viewer | null;
  readonly guideUrl?: string | null;
}
