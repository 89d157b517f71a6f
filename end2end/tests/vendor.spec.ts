import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from './desk';

test("the sandbox satisfies SendGrid's own client", async ({ desk }) => {
  const script = join(import.meta.dirname, '../sandbox/vendor.mjs');
  const env = { ...process.env, SANDBOX_URL: desk.service };
  const { stdout } = await promisify(execFile)(process.execPath, ['--test', script], { env });
  expect(stdout).toMatch(/# fail 0/);
});
