import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { expect, test } from './desk';

export type Lang = 'ja' | 'en';

/** Makes these tests for each language, in light, in dark and at a phone's width. */
export function looks(what: string, tests: (lang: Lang, look: string) => void, phone: 'light' | 'dark' = 'light'): void {
  for (const lang of ['ja', 'en'] as const) {
    for (const [look, options] of Object.entries({
      light: { colorScheme: 'light' },
      dark: { colorScheme: 'dark' },
      phone: { colorScheme: phone, viewport: { width: 360, height: 740 } },
    } as const)) {
      test.describe(`${what}, ${lang}, ${look}`, () => {
        test.use({ ...options, locale: lang === 'ja' ? 'ja-JP' : 'en-GB' });
        tests(lang, look);
      });
    }
  }
}

/** Axe finds nothing on the page as it stands, but for the mail's own frame, which is the shop's work. */
export async function sound(page: Page): Promise<void> {
  const axe = new AxeBuilder({ page }).exclude('iframe').options({ rules: { 'target-size': { enabled: true } } });
  // On a screen as high as the page: at a phone's foot there is a bar, and what scrolls below it is small then.
  const screen = page.viewportSize()!;
  const height = await page.evaluate(() => document.documentElement.scrollHeight);
  await page.setViewportSize({ width: screen.width, height: Math.max(height, screen.height) });
  const { violations } = await axe.analyze();
  await page.setViewportSize(screen);
  expect(violations.map((v) => `${page.url()} ${v.id}: ${v.nodes.map((n) => n.target.join(' ')).join(', ')}`)).toEqual([]);
}

/** The same, and nothing is wider than the screen. */
export async function soundAndNarrow(page: Page): Promise<void> {
  await sound(page);
  await narrow(page);
}

/** Nothing is wider than the screen. */
export async function narrow(page: Page): Promise<void> {
  const [content, screen] = await page.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth]);
  expect(content, page.url()).toBeLessThanOrEqual(screen!);
}
