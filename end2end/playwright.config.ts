import { defineConfig } from '@playwright/test';

const root = process.getuid?.() === 0;

export default defineConfig({
  testDir: 'tests',
  fullyParallel: true,
  // Two cores are the least to count on.
  workers: Number(process.env.DENPYO_TEST_WORKERS ?? 2),
  // A test that passes only the second time is a finding, not a pass.
  retries: 0,
  forbidOnly: !!process.env.CI,
  reporter: [['list'], ['./summary.ts']],
  use: {
    locale: 'ja-JP',
    timezoneId: 'Asia/Tokyo',
    screenshot: 'only-on-failure',
    trace: 'retain-on-failure',
    launchOptions: {
      executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
      args: [
        // Chromium's sandbox does not start for root.
        ...(root ? ['--no-sandbox'] : []),
        // No calls of its own to the outside: they fail slowly where nothing answers.
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        '--no-first-run',
        '--disable-quic',
        '--disable-gpu',
      ],
    },
  },
});
