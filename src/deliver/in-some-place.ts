/** Where an upload is staged: in the evidence folder, or, where that cannot be, in the first other place that can. */
import { errorCode, openFolder } from '../evidence/safe-fs.js';
import { measured, type Place, removeStrays, secondPlaces } from './places.js';
import { Staging, type StagingOptions, Unwritable } from './stage.js';

export interface PlacesOptions extends Pick<StagingOptions, 'calls' | 'signal'> {
  /** The evidence folder. */
  readonly dir: string;
  readonly step: string;
  readonly env: NodeJS.ProcessEnv;
  /** Places to try after the evidence folder; those of the environment unless a test has others. */
  readonly places?: readonly Place[];
  /** Bytes that everything would take. */
  readonly wanted: number;
  readonly log?: (line: string) => void;
}

const UNPREPARED = 'the evidence folder cannot be prepared for the upload';
const FULL = /\((ENOSPC|EDQUOT)\)/;

/**
 * Does `use` with a staging folder, in the first place that can be written and has room for all documents. The folder is
 * gone afterwards, however it ends.
 * @returns what `use` returns, or why there is no place, in one line
 */
export async function inSomePlace<T extends object>(
  options: PlacesOptions,
  use: (staging: Staging) => Promise<T>,
): Promise<T | string> {
  const { dir, step, calls, signal, log } = options;
  const common = { ...(calls ? { calls } : {}), signal };
  const attempt = async (more: StagingOptions): Promise<T> => {
    const staging = await Staging.open(dir, step, { ...common, ...more });
    try {
      return await use(staging);
    } finally {
      await staging.close();
    }
  };
  let first: string;
  try {
    await (await openFolder(dir)).close();
  } catch (error) {
    return `${UNPREPARED} (${errorCode(error)})`;
  }
  try {
    return await attempt({});
  } catch (error) {
    if (!(error instanceof Unwritable)) throw error;
    first = `${UNPREPARED} (${error.message})`;
  }
  const places = options.places ?? secondPlaces(options.env);
  await removeStrays(places, step, Date.now());
  const failures: string[] = [];
  for (const place of await measured(places, options.wanted)) {
    try {
      log?.(`${first}: trying ${place.label}`);
      return await attempt({ second: place });
    } catch (error) {
      if (!(error instanceof Unwritable)) throw error;
      failures.push(`${place.label} (${error.message})`);
    }
  }
  const remedy = FULL.test(first)
    ? 'free some space there, or name an `evidence-dir` on a disk that has some'
    : 'name an `evidence-dir` that can be written';
  const others = failures.length === 0 ? '' : `, and neither can ${failures.join(', ')}`;
  return `${first}${others}: ${remedy}`;
}
