// Runs the script with the parts of the client that the example uses. Comments are a JSON file.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

const file = process.env.COMMENTS_DOUBLE;
const comments = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : [];
const write = () => writeFileSync(file, JSON.stringify(comments));
const issues = {
  listComments: async () => ({ data: comments }),
  createComment: async ({ body, issue_number }) => {
    comments.push({ id: comments.length + 1, body, issue_number });
    write();
  },
  updateComment: async ({ comment_id, body }) => {
    comments.find(({ id }) => id === comment_id).body = body;
    write();
  },
};
const github = { rest: { issues }, paginate: async (call, options) => (await call(options)).data };
const context = {
  repo: { owner: 'octocat', repo: 'hello-world' },
  issue: { number: 7 },
  serverUrl: 'https://github.com',
  runId: 1,
};
const AsyncFunction = Object.getPrototypeOf(async () => undefined).constructor;
await new AsyncFunction('github', 'context', 'core', process.env.INPUT_SCRIPT)(github, context, {});
