/**
 * Artifact names. GitHub refuses `" : < > | * ? \ /` and line breaks (they cannot be file names everywhere), and a second
 * artifact of the same name in a run is a conflict (actions/upload-artifact#478).
 */

/** Characters, not bytes. GitHub names no limit; file systems hold 255 bytes with `.zip` behind it. */
const MAX_NAME = 200;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused here
const FORBIDDEN = /["<>|*?:\\/\u0000-\u001f\u007f]/;

/** Why `name` cannot be an artifact's name, or null. */
export function artifactNameProblem(name: string): string | null {
  if (name.trim() === '') return 'is empty';
  if (FORBIDDEN.test(name)) return 'holds one of " : < > | * ? \\ / or a control character';
  if (name.length > MAX_NAME) return `is longer than ${MAX_NAME} characters`;
  return null;
}

/** `name` with everything that is refused replaced by `-`, and cut: for names made from job ids and matrix values. */
export function cleanArtifactName(name: string): string {
  const clean = name
    .toWellFormed()
    .replace(new RegExp(FORBIDDEN, 'g'), '-')
    .trim()
    .slice(0, MAX_NAME)
    .toWellFormed();
  return clean === '' ? 'oom-autopsy' : clean;
}

/** The name for the one retry after a conflict: `suffix` is the step's id, which no other step has. */
export function otherName(name: string, suffix: string): string {
  const ending = `-${suffix.slice(0, 8)}`;
  return `${name.slice(0, MAX_NAME - ending.length)}${ending}`;
}
