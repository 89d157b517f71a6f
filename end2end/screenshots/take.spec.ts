import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, type Page } from '@playwright/test';
import { Desk, awake, signIn, type Demo } from '../tests/desk';
import { PICTURES } from './pages';

const FOLDER = process.env.FOLDER!;
const WIDTH = Number(process.env.WIDTH ?? 1280);
const THEME = process.env.THEME === 'dark' ? 'dark' : 'light';
const ONLY = process.env.ONLY?.split(',');

let demo: Demo;
test.beforeAll(async () => {
  demo = await Desk.demo();
});
test.afterAll(() => demo.stop());

for (const language of ['ja', 'en'] as const) {
  test(`pictures in ${language}`, async ({ browser }) => {
    const folder = join(FOLDER, language);
    mkdirSync(folder, { recursive: true });
    const desks = new Map<string, Page>();
    for (const picture of PICTURES.filter(({ name }) => !ONLY || ONLY.includes(name))) {
      let page = desks.get(picture.who);
      if (!page) {
        const context = await browser.newContext({
          viewport: { width: WIDTH, height: 800 },
          locale: language === 'ja' ? 'ja-JP' : 'en-GB',
          colorScheme: THEME,
          reducedMotion: 'reduce',
        });
        await context.addCookies([{ name: 'lang', value: language, url: demo.url }]);
        page = await context.newPage();
        if (picture.who !== 'nobody') {
          await signIn(page, demo.url, demo.people[picture.who], `demo-${demo.people[picture.who]}`);
        }
        desks.set(picture.who, page);
      }
      if (typeof picture.at === 'string') await page.goto(demo.url + picture.at);
      else await picture.at(page, demo.url);
      await awake(page);
      if (picture.who !== 'nobody') await page.locator('.asof.on').waitFor({ state: 'attached' });
      for (const frame of await page.locator('main iframe').all()) {
        // A mail's own text is loaded when it comes into view.
        await frame.scrollIntoViewIfNeeded();
        await expect(frame.contentFrame().locator('body')).not.toBeEmpty();
      }
      // On a screen as high as the page: what is beyond the screen may not be painted.
      const height = await page.evaluate(() => document.documentElement.scrollHeight);
      await page.setViewportSize({ width: WIDTH, height: Math.max(height, 800) });
      await page.screenshot({ path: join(folder, `${picture.name}.png`) });
      await page.setViewportSize({ width: WIDTH, height: 800 });
    }
  });
}
