/**
 * The report page beside the evidence: rendered, and uploaded as an artifact of its own without zipping, so that its link
 * opens in the browser; or else kept in the step's output folder. Loaded only when something was published.
 */
import { join } from 'node:path';
import type { Evidence } from '../evidence/collect.js';
import type { Manifest } from '../evidence/manifest.js';
import { writeWhole } from '../lib/files.js';
import { embedSnapshots } from '../report/page/embed.js';
import { DEFAULT_VIEWER, renderPage, type Viewer } from '../report/page/page.js';
import { type PublishPageOptions, publishPage } from './publish.js';
import { byValue } from './select.js';

/** Address of torch's viewer script, for sites that cannot reach the public one; `off` takes the button away. */
const VIEWER_VARIABLE = 'OOM_AUTOPSY_VIEWER_URL';

export interface ReportRequest extends Omit<PublishPageOptions, 'html' | 'name' | 'scratch' | 'step'> {
  readonly evidence: Evidence;
  readonly manifest: Manifest;
  /** Name of the artifact with the evidence; the page's is this with `.html`. */
  readonly artifactName: string;
  readonly outputDir: string;
  readonly guideUrl: string | null;
  readonly log: (line: string) => void;
}

/** The viewer that the environment asks for. */
export function viewerFrom(env: NodeJS.ProcessEnv): Viewer | null {
  const address = env[VIEWER_VARIABLE];
  if (!address) return DEFAULT_VIEWER;
  if (address === 'off' || !URL.canParse(address)) return null;
  const url = new URL(address);
  return /^https?:$/.test(url.protocol) ? { url: url.href, origins: [url.origin] } : null;
}

/** Renders and publishes the page. @returns its address, or null with a line in the log. Never throws. */
export async function publishReport(request: ReportRequest): Promise<string | null> {
  const { evidence, manifest, artifactName, outputDir, guideUrl, log, ...ports } = request;
  try {
    const html = renderPage(manifest, {
      snapshots: await embedSnapshots(
        { ...evidence, snapshots: byValue(evidence) },
        manifest.published.left_out,
      ),
      viewer: viewerFrom(ports.env),
      guideUrl,
    });
    const published = await publishPage({
      ...ports,
      html,
      scratch: outputDir,
      name: `${artifactName}.html`,
      step: evidence.step,
    });
    if (published.state === 'uploaded') return published.url;
    const path = join(outputDir, 'report.html');
    const kept = await writeWhole(path, html, ports.makeRoom).then(
      () => `; it lies at ${path}`,
      () => '',
    );
    log(`the report page was not uploaded: ${published.reason}${kept}`);
  } catch (error) {
    log(`the report page could not be made (${(error as Error).message})`);
  }
  return null;
}
