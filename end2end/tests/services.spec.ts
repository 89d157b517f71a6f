import { expect, test } from '@playwright/test';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

for (const service of ['sendgrid', 'resend', 'ses']) {
  test(`${service} is spoken as its own clients and emulators speak it`, async () => {
    test.setTimeout(180_000);
    const script = join(import.meta.dirname, `../services/${service}.mjs`);
    const { stdout } = await promisify(execFile)(process.execPath, ['--test', script]);
    expect(stdout).toMatch(/# fail 0/);
  });
}
