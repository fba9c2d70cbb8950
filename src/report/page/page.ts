/**
 * The page: one self-contained HTML file that says what the summary says, larger, with everything that has no
 * room there. It works from disk, offline and under its own content policy: no external script, style, font
 * or image, and nothing is fetched until the reader presses the button that opens a snapshot in torch's
 * viewer. All of it but the timeline is plain HTML and SVG, so it prints and reads aloud.
 *
 * A pure function of the manifest and the options. Snapshots in it are opaque: compressed bytes in, the same
 * bytes out.
 */

import { createHash } from 'node:crypto';
import type { Manifest } from '../../evidence/manifest.js';
import { CATEGORY_NAMES } from '../../evidence/receipt.js';
import { type Html, html, raw, scriptJson } from '../html.js';
import { mainStory } from '../story.js';
import { type TimelineFacts, timelines } from '../timeline.js';
import { headline } from '../words/headline.js';
import { cyclesSection } from './cycles.js';
import { PATTERNS } from './kit.js';
import { DEFAULT_VIEWER, type PageOptions, type Viewer } from './options.js';
import {
  gpuSection,
  hostSection,
  notSeenCards,
  paritySection,
  ranksSection,
  receiptsSection,
  timelineSection,
} from './rest.js';
import { PAGE_SCRIPT, VIEWER_LOADER, VIEWER_STYLE } from './script.js';
import { snapshotsSection } from './snapshots.js';
import { eventsSection, hintsSection, lead, memorySection, stacksSection } from './story.js';
import { PAGE_STYLE } from './style.js';

export {
  DEFAULT_VIEWER,
  EMBED_LIMIT,
  type EmbeddedSnapshot,
  type PageOptions,
  type Viewer,
} from './options.js';

const hash = (text: string): string =>
  `'sha256-${createHash('sha256').update(text, 'utf8').digest('base64')}'`;

/**
 * What the page may do. Scripts of the viewer's origins only where there is a snapshot to open; nothing may
 * be sent anywhere.
 */
function policy(viewer: Viewer | null): string {
  const scripts = [hash(PAGE_SCRIPT)];
  const styles = [hash(PAGE_STYLE)];
  if (viewer) {
    scripts.push(hash(VIEWER_LOADER), ...viewer.origins);
    styles.push(hash(VIEWER_STYLE));
  }
  return [
    "default-src 'none'",
    `script-src ${scripts.join(' ')}`,
    `style-src ${styles.join(' ')}`,
    // The viewer (d3) writes style attributes; the page itself has none.
    ...(viewer ? ["style-src-attr 'unsafe-inline'"] : []),
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
}

function packedSeries(all: readonly TimelineFacts[]) {
  return all.flatMap((t) =>
    t.series.map((s) => {
      const phases = [...new Set(s.points.map((p) => p.phase))];
      const index = new Map(phases.map((phase, i) => [phase, i]));
      return {
        peak: s.peak,
        step: s.points.map((p) => p.step),
        phase: s.points.map((p) => index.get(p.phase) ?? 0),
        phases,
        bytes: s.points.flatMap((p) => p.bytes),
      };
    }),
  );
}

function factsList(manifest: Manifest): Html {
  const { runner, step } = manifest;
  const torch = [...new Set(manifest.processes.flatMap((p) => (p.torch === null ? [] : [p.torch])))].slice(
    0,
    3,
  );
  const facts: readonly (readonly [string, string | null])[] = [
    ['repository', runner.repository],
    ['job', runner.job],
    [
      'run',
      runner.run_id === null
        ? null
        : `${runner.run_id}${runner.run_attempt === null ? '' : `, attempt ${runner.run_attempt}`}`,
    ],
    ['commit', runner.sha?.slice(0, 12) ?? null],
    ['runner', runner.name],
    ['torch', torch.length === 0 ? null : torch.join(', ')],
    ['exit code', step.exit_code === null ? null : String(step.exit_code)],
    ['verdict', manifest.verdict.name],
    ['took', step.ended === null ? null : `${(step.ended - step.started).toFixed(1)} s`],
    ['written', manifest.created],
  ];
  return html`<ul class="facts">${facts.map(([name, value]) => (value === null ? null : html`<li>${name} <b>${value}</b></li>`))}</ul>`;
}

/** The page as the text of one HTML file. */
export function renderPage(manifest: Manifest, options: PageOptions = {}): string {
  const { tone, title } = headline(manifest);
  const story = mainStory(manifest);
  const lines = timelines(manifest);
  const held = new Set(manifest.snapshots.map((s) => s.file));
  for (const { file } of manifest.published.left_out) held.delete(file);
  const embedded = (options.snapshots ?? []).filter(
    (s) => held.has(s.file) && /^[A-Za-z0-9+/]*={0,2}$/.test(s.gzipBase64),
  );
  const own: PageOptions = {
    ...options,
    ...(options.snapshots === undefined ? {} : { snapshots: embedded }),
  };
  const viewer =
    embedded.length === 0 ? null : options.viewer === undefined ? DEFAULT_VIEWER : options.viewer;
  const sections = [
    story && memorySection(manifest, story),
    hintsSection(manifest),
    stacksSection(manifest),
    eventsSection(manifest),
    snapshotsSection(manifest, own),
    ranksSection(manifest),
    timelineSection(lines),
    hostSection(manifest),
    gpuSection(manifest),
    cyclesSection(manifest),
    paritySection(manifest),
    receiptsSection(manifest),
  ].filter((s) => s !== null);
  const data = {
    categories: CATEGORY_NAMES,
    series: packedSeries(lines),
    viewer: viewer?.url ?? null,
    loader: VIEWER_LOADER,
    viewerStyle: VIEWER_STYLE,
  };
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${raw(policy(viewer))}">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<style>${raw(PAGE_STYLE)}</style>
</head>
<body>
<a class="skip" href="#main">To the content</a>
${PATTERNS}
<header class="${tone}">
<h1><span class="tone" aria-hidden="true"></span>${title}</h1>
${lead(manifest)}
${notSeenCards(manifest)}
${manifest.gates.filter((g) => g.gate !== 'if-no-torch').map((g) => html`<div class="card"><p><strong>${g.gate}</strong>: ${g.message}</p></div>`)}
${factsList(manifest)}
</header>
<nav aria-label="Sections"><ul>${sections.map((s) => html`<li><a href="#${s.id}">${s.title}</a></li>`)}</ul></nav>
<main id="main">
${sections.map((s) => html`<section aria-labelledby="h-${s.id}" id="${s.id}"><h2 id="h-${s.id}">${s.title}</h2>${s.body}</section>`)}
</main>
<footer>Written by oom-autopsy ${manifest.action.version} from manifest.json alone. GiB = 2^30 bytes. No snapshot was read to write it.</footer>
${embedded.map((s, i) => html`<script type="application/octet-stream" id="snapshot-${i}">${raw(s.gzipBase64)}</script>`)}
<script type="application/json" id="data">${scriptJson(data)}</script>
<script>${raw(PAGE_SCRIPT)}</script>
</body>
</html>
`.text;
}
