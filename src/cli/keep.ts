/**
 * What a run on a workstation leaves: the files that the action would have put into an artifact, in a folder, with the page
 * beside them. The summary is written anew, since it names no artifact.
 */
import { copyFile, mkdir, rename, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { NOT_YET } from '../deliver/publishing.js';
import { viewerFrom } from '../deliver/report.js';
import { digestOf } from '../evidence/digest.js';
import { type Manifest, manifestText, sha256Sums } from '../evidence/manifest.js';
import { errorCode } from '../evidence/safe-fs.js';
import { memoryOf, memoryText } from '../memory/document.js';
import { embedSnapshots } from '../report/page/embed.js';
import { renderPage } from '../report/page/page.js';
import { renderSummary } from '../report/summary/summary.js';

/** A run that says nothing about memory leaves no folder. */
export const worthAFolder = ({ snapshots, cycles, verdict, gates }: Manifest): boolean =>
  snapshots.length > 0 ||
  cycles.count > 0 ||
  ['oom', 'oom-recovered', 'host-oom'].includes(verdict.name) ||
  gates.some(({ level, gate }) => level === 'fail' && gate !== 'if-no-torch');

/** The account as of a run that uploads nothing and was not meant to. */
export const localAccount = (manifest: Manifest): Manifest => ({ ...manifest, published: NOT_YET });

export const localSummary = (manifest: Manifest, evidenceDir: string | null): string =>
  renderSummary(localAccount(manifest), {
    artifactName: null,
    artifactId: null,
    artifactUrl: null,
    artifactDigest: null,
    reportUrl: null,
    evidenceDir,
  });

/** Moves a file, to another file system too. */
async function move(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if (errorCode(error) !== 'EXDEV') throw error;
    await copyFile(from, to);
    await unlink(from);
  }
}

/**
 * Moves the evidence into `folder`, which is made, and writes the documents beside it.
 * @returns what went wrong, one line for each file
 */
export async function keep(
  manifest: Manifest,
  evidenceDir: string,
  folder: string,
): Promise<readonly string[]> {
  const faults: string[] = [];
  const attempt = async (file: string, work: () => Promise<unknown>): Promise<void> => {
    await work().catch((error: NodeJS.ErrnoException) => {
      faults.push(
        `${file} could not be kept (${error.code ?? error.message}); the evidence was in ${evidenceDir}`,
      );
    });
  };
  await mkdir(folder, { recursive: true });
  const evidence = [...manifest.files, ...manifest.snapshots];
  for (const { file } of evidence)
    await attempt(file, () => move(join(evidenceDir, file), join(folder, file)));
  const account = localAccount(manifest);
  const documents = { 'manifest.json': manifestText(account), 'memory.json': memoryText(memoryOf(account)) };
  for (const [file, text] of Object.entries(documents))
    await attempt(file, () => writeFile(join(folder, file), text));
  const sums = sha256Sums([
    ...evidence,
    ...Object.entries(documents).map(([file, text]) => ({ file, digest: digestOf(text).digest })),
  ]);
  await attempt('SHA256SUMS', () => writeFile(join(folder, 'SHA256SUMS'), sums));
  await attempt('report.html', async () => {
    const snapshots = await embedSnapshots({ dir: folder, snapshots: manifest.snapshots });
    await writeFile(
      join(folder, 'report.html'),
      renderPage(account, { snapshots, viewer: viewerFrom(process.env) }),
    );
  });
  return faults;
}
