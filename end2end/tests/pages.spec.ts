import type { Page } from '@playwright/test';
import { awake, expect, signIn, test } from './desk';
import { looks, narrow, soundAndNarrow } from './looks';

const PAGES = {
  'the overview, what needs checking, and help': ['/', '/stuck', '/help'],
  lists: ['/submissions', '/submissions?status=failed&status=rejected', '/submissions?q=no-such-order'],
  'lists of what waits': ['/submissions?needs=person', '/submissions?status=check', '/submissions?needs=held'],
  'lists asked for amiss': [
    '/submissions?status=sent&from=31+November&to=2026-11-31&cursor=x&needs=x',
    '/submissions?error=0123456789abcdef-7',
  ],
  'errors and jobs': ['/submissions/errors', '/bulk', '/bulk/new?status=failed&status=rejected'],
  reports: ['/reports', '/reports?basis=accepted'],
};

looks('pages', (lang) => {
  const check = async (page: Page, url: string) => {
    await page.goto(url);
    await awake(page);
    await expect(page.locator('html')).toHaveAttribute('lang', lang);
    await soundAndNarrow(page);
  };

  // Of each page: axe finds nothing, nothing is wider than the screen, the console is silent.
  test('sign-in', async ({ page, demo }) => {
    await check(page, `${demo.url}/login`);
  });

  for (const [name, paths] of Object.entries(PAGES)) {
    test(name, async ({ page, demo }) => {
      test.slow();
      await signIn(page, demo.url, demo.people.lead, 'demo-lead1');
      for (const path of paths) await check(page, `${demo.url}${path}`);
    });
  }

  test('one mail in each state', async ({ page, demo }) => {
    test.slow();
    await signIn(page, demo.url, demo.people.lead, 'demo-lead1');
    for (const status of ['pending', 'check', 'synced', 'failed', 'rejected', 'canceled']) {
      await page.goto(`${demo.url}/submissions?status=${status}`);
      const href = await page.locator('table.list tbody th[scope=row] a').first().getAttribute('href');
      await check(page, `${demo.url}${href}`);
    }
  });
});

for (const locale of ['ja-JP', 'en-GB']) {
  test.describe(`at 200 % zoom, ${locale}`, () => {
    // A window of 1280 by 800 has so much room then.
    test.use({ locale, viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 });
    test('nothing is wider than the screen', async ({ page, demo }) => {
      test.slow();
      await page.goto(`${demo.url}/login`);
      await narrow(page);
      await signIn(page, demo.url, demo.people.lead, 'demo-lead1');
      for (const path of Object.values(PAGES).flat()) {
        await page.goto(`${demo.url}${path}`);
        await awake(page);
        await narrow(page);
      }
      for (const status of ['check', 'synced', 'rejected']) {
        await page.goto(`${demo.url}/submissions?status=${status}`);
        await page.locator('table.list tbody th[scope=row] a').first().click();
        await page.locator('ol.line').waitFor();
        await narrow(page);
      }
    });
  });
}

test('the language is kept, and changes on the page in view', async ({ page, demo }) => {
  await signIn(page, demo.url, demo.people.support, 'demo-support1');
  await page.goto(`${demo.url}/submissions?status=failed`);
  await page.getByRole('link', { name: 'English' }).click();
  await expect(page).toHaveURL(`${demo.url}/submissions?status=failed`);
  await expect(page.locator('html')).toHaveAttribute('lang', 'en');
  await page.goto(`${demo.url}/`);
  await expect(page.locator('h1')).toHaveText('Overview');
});

test('what is not there is said to be not there', async ({ page, demo }) => {
  await signIn(page, demo.url, demo.people.support, 'demo-support1');
  // A browser logs the missing page itself; nothing else may be heard.
  for (const path of ['/submissions/999999999', '/submissions/0', '/submissions/9999999999999999999999', '/submissions/x', '/nothing']) {
    const response = await page.request.get(`${demo.url}${path}`);
    expect(response.status(), path).toBe(404);
    // With all that stands around a page: from here too one searches on.
    const text = await response.text();
    expect(text).toContain('role="search"');
    expect(text.match(/<main/g)).toHaveLength(1);
    expect(text).toContain('</html>');
  }
});
