import { expect, signIn, test } from './desk';

const paper = 'rgb(255, 255, 255)';

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with scripts' : 'without scripts', () => {
    test.use({ javaScriptEnabled, colorScheme: 'dark' });

    test('a reader chooses the theme, and it is remembered', async ({ page, desk }) => {
      await signIn(page, desk.url, 'support1');
      await page.goto(`${desk.url}/submissions?status=failed`);
      const root = page.locator('html');
      const background = () => page.locator('html').evaluate((root) => getComputedStyle(root).backgroundColor);
      await expect(root).toHaveAttribute('data-theme', 'auto');
      expect(await background()).not.toBe(paper);

      const theme = page.locator('a.theme');
      await theme.click();
      await expect(root).toHaveAttribute('data-theme', 'light');
      expect(await background()).toBe(paper);
      expect(new URL(page.url()).search, 'the filter stays, the wish does not').toBe('?status=failed');

      await page.goto(`${desk.url}/stuck`);
      await expect(root).toHaveAttribute('data-theme', 'light');
      await theme.click();
      await expect(root).toHaveAttribute('data-theme', 'dark');
      expect(await background()).not.toBe(paper);
      await theme.click();
      await expect(root).toHaveAttribute('data-theme', 'auto');
    });
  });
}
