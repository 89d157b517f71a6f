import { expect, test } from '@playwright/test';

test('the browser starts', async ({ page }) => {
  await page.goto('about:blank');
  expect(await page.evaluate(() => 6 * 7)).toBe(42);
});
