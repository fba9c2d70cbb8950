/** Version of the action, as it stands in the manifest. Held equal to package.json by a test. */
export const VERSION = '0.1.0';
