import { defineConfig } from '@playwright/test';
import tests from './playwright.config.ts';

/** `make screenshots`: every page of the demo as a picture, for the documentation and for those who change a page. */
export default defineConfig({
  ...tests,
  testDir: 'screenshots',
  outputDir: 'test-results/screenshots',
  reporter: [['list']],
  timeout: 180_000,
});
