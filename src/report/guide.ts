/** Where the reading guide of this version of the action lies. */

/** docs/reading-a-snapshot.md in the repository and at the ref that the workflow names. */
export function guideUrl(env: NodeJS.ProcessEnv): string | null {
  const { GITHUB_ACTION_REPOSITORY: repository, GITHUB_ACTION_REF: ref } = env;
  const server = (env['GITHUB_SERVER_URL'] || 'https://github.com').replace(/\/+$/, '');
  return repository && ref && /^[\w.-]+\/[\w.-]+$/.test(repository)
    ? `${server}/${repository}/blob/${encodeURIComponent(ref)}/docs/reading-a-snapshot.md`
    : null;
}

/** The reading guide of this version; null where the action's own repository is not known. */
export const GUIDE_URL = guideUrl(process.env);
